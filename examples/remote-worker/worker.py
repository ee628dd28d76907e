"""A worker of another language: it is handed jobs over HTTP and reports on them. Standard library only.

POST /work takes {"jobsUrl", "jobId", "reportToken", "input"} and answers 202 before the work is done. Each change of a
job is a line of JSON on standard output.
"""

import argparse
import hashlib
import json
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# How often a report is sent again when the API cannot take it now, and how long each may take, in seconds.
REPORT_ATTEMPTS = 8
REPORT_TIMEOUT = 10
LONGEST_MESSAGE = 1_000_000


class Refused(Exception):
    """The job has ended without this worker, usually because it was cancelled. Stop the work."""


class Failure(Exception):
    """The work cannot be done, in words that a client may read."""

    def __init__(self, title, detail, code):
        super().__init__(title)
        self.report = {"title": title, "detail": detail, "failureCode": code}


class Reporter:
    """Speaks for one start of one job."""

    def __init__(self, jobs_url, job_id, token):
        self.url = f"{jobs_url}/{job_id}"
        self.token = token

    def progress(self, percent):
        self._send("progress", {"percentComplete": percent})

    def complete(self, output):
        self._send("completion", {"output": output})

    def fail(self, report):
        self._send("failure", report)

    def _send(self, what, body):
        request = urllib.request.Request(
            f"{self.url}/{what}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"},
        )
        for attempt in range(1, REPORT_ATTEMPTS + 1):
            delay = min(2 ** (attempt - 1), 30)
            try:
                with urllib.request.urlopen(request, timeout=REPORT_TIMEOUT):
                    return
            except urllib.error.HTTPError as error:
                with error:
                    if error.code in (404, 409):
                        raise Refused() from None
                    if error.code < 500 and error.code != 429:
                        raise
                    wished = error.headers.get("Retry-After", "")
                    delay = min(int(wished), 60) if wished.isdigit() else delay
                fault = error
            except OSError as error:
                fault = error
            if attempt < REPORT_ATTEMPTS:
                time.sleep(delay)
        raise fault


def transcode(job, reporter, pause):
    """Encodes a text line by line, and says what came out."""
    encoding = job["encoding"]
    lines = job["text"].splitlines(keepends=True)
    digest, size = hashlib.sha256(), 0
    for number, line in enumerate(lines, 1):
        try:
            piece = line.encode(encoding)
        except UnicodeEncodeError as error:
            where = f"Line {number} has {line[error.start]!r} in column {error.start + 1}, which {encoding} does not have."
            raise Failure("The text cannot be encoded", where, "unencodable") from None
        digest.update(piece)
        size += len(piece)
        # Also tells whether the work is still wanted.
        reporter.progress(100 * number / len(lines))
        time.sleep(pause)
    return {"bytes": size, "sha256": digest.hexdigest()}


def say(**record):
    print(json.dumps(record), flush=True)


def work(message, pause):
    job_id = message["jobId"]
    reporter = Reporter(message["jobsUrl"], job_id, message["reportToken"])
    say(jobId=job_id, state="working")
    try:
        try:
            reporter.complete(transcode(message["input"], reporter, pause))
            state = "completed"
        except Failure as failure:
            reporter.fail(failure.report)
            state = "failed"
    except Refused:
        state = "stopped"
    except Exception as error:
        # The API hears nothing more, and fails the job once it has been silent for `recovery.processingTimeout`.
        state = f"lost: {error}"
    say(jobId=job_id, state=state)


class Door(BaseHTTPRequestHandler):
    pause = 0.0
    timeout = 10

    def do_POST(self):
        message = self.read_message() if self.path == "/work" else None
        if self.path != "/work":
            self.answer(404)
        elif message is None:
            self.answer(400)
        else:
            threading.Thread(target=work, args=(message, self.pause), daemon=True).start()
            self.answer(202)

    def read_message(self):
        try:
            length = int(self.headers.get("Content-Length", ""))
            message = json.loads(self.rfile.read(length)) if 0 <= length <= LONGEST_MESSAGE else None
        except ValueError:
            return None
        wanted = {"jobsUrl", "jobId", "reportToken", "input"}
        return message if isinstance(message, dict) and wanted <= message.keys() else None

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description="Transcodes texts for async-jobs.")
    parser.add_argument("--port", type=int, default=8090, help="0 takes a free one")
    parser.add_argument("--pause", type=float, default=0.5, help="seconds after each line, so that one can watch")
    options = parser.parse_args()
    Door.pause = options.pause
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Door)
    say(url=f"http://127.0.0.1:{server.server_port}")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
