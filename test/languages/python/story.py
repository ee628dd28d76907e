"""Submits, polls and cancels jobs with a generated client: python3 story.py <base URL>"""

# docs: begin
import sys
import time
from uuid import UUID

from async_jobs_client import Client
from async_jobs_client.api.jobs import get_job_status, submit_job
from async_jobs_client.models import FailedJobProblem, Job, Problem

client = Client(base_url=sys.argv[1])


def wait_for_job(job_id: UUID) -> Job | FailedJobProblem | Problem:
    while True:
        answer = get_job_status.sync_detailed(job_id, client=client)
        if "retry-after" not in answer.headers:
            return answer.parsed
        time.sleep(int(answer.headers["retry-after"]))


accepted = submit_job.sync("noop", client=client)
print("completed", wait_for_job(accepted.job_id).status)
# docs: end

from async_jobs_client.api.jobs import cancel_job
from async_jobs_client.models import JobStatus

failed = wait_for_job(submit_job.sync("fails", client=client).job_id)
assert isinstance(failed, FailedJobProblem)
print("failed", failed.status, failed.failure_code)

slow = submit_job.sync("slow", client=client)
cancelled = cancel_job.sync(slow.job_id, client=client)
assert cancelled.status is JobStatus.CANCELLED
print("cancelled", wait_for_job(slow.job_id).status)

missing = wait_for_job(UUID("01890000-0000-7000-8000-000000000000"))
assert isinstance(missing, Problem)
print("missing", missing.status, missing.code)
