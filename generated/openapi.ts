// Made by `npm run generate` from openapi.yaml. Do not edit.
export interface paths {
    "/job-batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit many jobs at once.
         * @description Each job is answered in its place, as a submit of its own would be: with the job that does the work, or
         *     with the problem that it alone met. A body that does not fit is refused as a whole. Jobs that carry a
         *     key may be sent again.
         */
        post: operations["submitJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/job-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch many jobs over one connection until all of them have ended.
         * @description Server-sent events as of `streamJobEvents`, of all the jobs that are named: each event names its job
         *     in `data`, and its `id` is that job's `version`. An id of no job that the caller may know of, and a
         *     job that is deleted meanwhile, is told of by `unknown`, once. When nothing more can come, the last event is `end`,
         *     and the server closes the stream.
         */
        get: operations["streamEventsOfJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make sure that the work of a type is done.
         * @description Answers with a job that does the work: a new one, or one that stands for it already (`outcome`
         *     says which). `Location` and `statusUrl` are the same absolute URL. With `Prefer: wait=n` (RFC 7240
         *     section 4.3) a job that ends within n seconds is answered as its status resource would: 200, or the
         *     422 problem of a FAILED one.
         */
        post: operations["submitJob"];
        /**
         * Cancel a job.
         * @description Marks the job CANCELLED at once, aborts the signal of its handler wherever that runs, and refuses
         *     whatever that run reports later.
         */
        delete: operations["cancelJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}/completion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report that the work of a job has ended well.
         * @description `output` is stored where the type declares one. 409 or 404 means that the report was refused.
         */
        post: operations["completeJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a job until it ends.
         * @description Server-sent events: a snapshot of the current state, every later change, the event that says how
         *     the job ended, and then the server closes the stream. The `id` of an event is the job's `version`;
         *     its `data` is one line of JSON, of the schema that `x-events` names. The stream is derived from
         *     state: a change that was overwritten before it could be sent is left out, the last one never is.
         */
        get: operations["streamJobEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}/failure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report that the work of a job has failed.
         * @description In words that may reach a client. 409 or 404 means that the report was refused.
         */
        post: operations["failJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report how far the work of a job has come.
         * @description Renews the time that a job may be silent, also with the same percentage. 409 or 404 means that the
         *     report was refused, usually because the job was cancelled: stop the work.
         */
        post: operations["reportProgress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of a job.
         * @description 200 for every state but FAILED, which is a 422 problem. While the job is active the answer carries
         *     `Retry-After`; once it has ended it carries `Expires`, until when the resource stays readable.
         *     Never a redirect. With `Prefer: wait=n` an active job is answered when it ends, and with
         *     `If-None-Match` as soon as it changes, but after n seconds at the latest.
         */
        get: operations["getJobStatus"];
        put?: never;
        post?: never;
        /** Cancel a job (alias of cancelJob). */
        delete: operations["cancelJobByStatus"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptedJob: {
            /** Format: uri */
            eventsUrl: string;
            /** Format: uuid */
            jobId: string;
            outcome: components["schemas"]["SubmitOutcome"];
            /** Format: uri */
            statusUrl: string;
        };
        BatchAnswer: {
            /** @description One for each job, in their order. */
            results: components["schemas"]["BatchResult"][];
        };
        /** @description Either the job or the problem. */
        BatchResult: {
            job?: components["schemas"]["AcceptedJob"];
            problem?: components["schemas"]["Problem"];
            /** @description The status that a submit of its own would have had; 202 with a job. */
            status: number;
        };
        /** @description The job is CANCELLED. */
        CancelledEvent: {
            /** Format: uuid */
            jobId: string;
            /** Format: date-time */
            lastUpdatedAt: string;
            version: number;
        };
        /** @description The job is COMPLETED. The work has ended at this instant; read your domain resource now. */
        CompleteEvent: {
            /** Format: uuid */
            jobId: string;
            /** Format: date-time */
            lastUpdatedAt: string;
            version: number;
        };
        CompletionReport: {
            output?: components["schemas"]["JobOutput"];
        };
        /** @description All jobs of the stream have ended or are unknown. Its `id` is `end`. */
        EndEvent: {
            /** @description How many they were. */
            jobs: number;
        };
        /** @description The job is FAILED. The status resource has the same as a problem. */
        FailedEvent: {
            detail?: string;
            failureCode: string;
            /** Format: uuid */
            jobId: string;
            /** Format: date-time */
            lastUpdatedAt: string;
            title: string;
            version: number;
        };
        /** @description The state of a FAILED job, as a problem (RFC 9457). `status` is the HTTP status. */
        FailedJobProblem: {
            code: components["schemas"]["ProblemCode"];
            /** Format: date-time */
            createdAt: string;
            detail?: string;
            /**
             * @description Why the job failed. Of ours: handler-error, timed-out, worker-lost, processing-timeout,
             *     invalid-output; a handler may give its own.
             */
            failureCode: string;
            /** Format: uri-reference */
            instance?: string;
            /** Format: uuid */
            jobId: string;
            jobStatus: components["schemas"]["JobStatus"];
            /** @description The type of the job; `type` is the type of the problem. */
            jobType: string;
            /** Format: date-time */
            lastUpdatedAt: string;
            percentComplete: number | null;
            status: number;
            /** @description What the handler said, or a sentence of ours where it said nothing for clients to read. */
            title: string;
            /** Format: uri-reference */
            type: string;
            version: number;
        };
        FailureReport: {
            detail?: string;
            /** @description Stable and machine-readable. */
            failureCode?: string;
            title: string;
        };
        Job: {
            /** Format: date-time */
            createdAt: string;
            /** Format: uuid */
            jobId: string;
            /** Format: date-time */
            lastUpdatedAt: string;
            output?: components["schemas"]["JobOutput"];
            percentComplete: number | null;
            status: components["schemas"]["JobStatus"];
            type: string;
            version: number;
        };
        JobBatch: {
            jobs: components["schemas"]["JobRequest"][];
        };
        /** @description The input of a job, as its type declares it. */
        JobInput: unknown;
        /** @description The output of a job, where its type declares one. */
        JobOutput: unknown;
        /** @description What a submit of its own would name in the path, the body and `Idempotency-Key`. */
        JobRequest: {
            /** @description The bare form; quotation marks are part of the key. */
            idempotencyKey?: string;
            input?: components["schemas"]["JobInput"];
            type: string;
        };
        /**
         * @description PENDING: accepted, waiting for its turn. PROCESSING: running. COMPLETED: ended well. FAILED: ended
         *     with an error. CANCELLED: cancelled. The last three are terminal.
         * @enum {string}
         */
        JobStatus: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED";
        /** @description A problem (RFC 9457). */
        Problem: {
            code: components["schemas"]["ProblemCode"];
            detail?: string;
            /** @description What is wrong with the request, part by part. */
            errors?: components["schemas"]["RequestError"][];
            /** Format: uri-reference */
            instance?: string;
            /**
             * Format: uuid
             * @description The job that the problem is about.
             */
            jobId?: string;
            jobStatus?: components["schemas"]["JobStatus"];
            status: number;
            title: string;
            /** Format: uri-reference */
            type: string;
        };
        /**
         * @description What went wrong, stable across releases.
         * @enum {string}
         */
        ProblemCode: "body-too-deep" | "body-too-large" | "database-unavailable" | "idempotency-key-required" | "idempotency-key-reused" | "internal-error" | "invalid-host" | "invalid-input" | "invalid-request" | "job-already-ended" | "job-failed" | "job-in-flight" | "job-not-found" | "malformed-body" | "malformed-url" | "method-not-allowed" | "not-acceptable" | "not-authorized" | "queue-full" | "report-refused" | "report-token-required" | "route-not-found" | "too-many-streams" | "too-many-streams-of-caller" | "unknown-type" | "unsupported-media-type";
        /** @description The job is PROCESSING and has come further. */
        ProgressEvent: {
            /** Format: uuid */
            jobId: string;
            /** Format: date-time */
            lastUpdatedAt: string;
            percentComplete: number | null;
            status: components["schemas"]["JobStatus"];
            version: number;
        };
        ProgressReport: {
            /** @description Fractions are rounded down. */
            percentComplete: number;
        };
        RequestError: {
            detail: string;
            in: components["schemas"]["RequestPart"];
            /** @description The name of the parameter, for all but the body. */
            name?: string;
            /** @description Where in the body, as a URI fragment with a JSON pointer (RFC 6901 section 6). */
            pointer?: string;
        };
        /** @enum {string} */
        RequestPart: "body" | "header" | "path" | "query";
        /** @description The job is active; its status has changed, or this is the snapshot. */
        StatusEvent: {
            /** Format: uuid */
            jobId: string;
            /** Format: date-time */
            lastUpdatedAt: string;
            percentComplete: number | null;
            status: components["schemas"]["JobStatus"];
            version: number;
        };
        /**
         * @description How a submit was answered. created: a new job. idempotent: the job that the key stands for. fresh:
         *     a job whose result is still fresh. in-flight: a job that does the same work now.
         * @enum {string}
         */
        SubmitOutcome: "created" | "idempotent" | "fresh" | "in-flight";
        /** @description A problem (RFC 9457). With the code `job-failed` it has all members of FailedJobProblem. */
        SubmitProblem: {
            code: components["schemas"]["ProblemCode"];
            /** Format: date-time */
            createdAt?: string;
            detail?: string;
            /** @description What is wrong with the request, part by part. */
            errors?: components["schemas"]["RequestError"][];
            /**
             * @description Why the job failed. Of ours: handler-error, timed-out, worker-lost, processing-timeout,
             *     invalid-output; a handler may give its own.
             */
            failureCode?: string;
            /** Format: uri-reference */
            instance?: string;
            /** Format: uuid */
            jobId?: string;
            jobStatus?: components["schemas"]["JobStatus"];
            /** @description The type of the job; `type` is the type of the problem. */
            jobType?: string;
            /** Format: date-time */
            lastUpdatedAt?: string;
            percentComplete?: number | null;
            status: number;
            title: string;
            /** Format: uri-reference */
            type: string;
            version?: number;
        };
        /** @description There is no such job (any more), or none that the caller may know of. Nothing follows for it. */
        UnknownJobEvent: {
            /** Format: uuid */
            jobId: string;
        };
    };
    responses: {
        /** @description The request is not of the form that this document asks for. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The job is CANCELLED. */
        CancelledJob: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Job"];
            };
        };
        /** @description The body is larger than the server takes. */
        ContentTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server has a fault. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The job has ended already. */
        JobAlreadyEnded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such job, or none that the caller may know of. */
        JobNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `Accept` excludes what this operation answers with. */
        NotAcceptable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The caller may not do this. */
        NotAuthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The job has ended already. Stop the work. */
        ReportRefused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request has no report token. */
        ReportTokenRequired: {
            headers: {
                /** @description `Bearer` (RFC 6750 section 3). */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The caller has as many open as it may. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server cannot take this request now; the same request may succeed later. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is not JSON in UTF-8, or has a content coding that the server does not know. */
        UnsupportedMediaType: {
            headers: {
                /** @description The media type that the operation takes (RFC 9110 section 15.5.16). */
                Accept: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description 1 to 255 visible ASCII characters. Submits of one tenant that carry the same key are answered with
         *     the same job. The quoted form of the IETF draft and the bare form are the same key; a key that
         *     begins with a quotation mark is taken for the quoted form.
         */
        IdempotencyKey: string;
        /** @description The `ETag` of an earlier answer (RFC 9110 section 13.1.2). */
        IfNoneMatch: string;
        /** @description The id of the job. Anything that is no id of a job answers 404, whatever its form. */
        JobId: string;
        /** @description The ids of the jobs, separated by commas. */
        JobIds: string[];
        /** @description The type of the job, as registered with its handler. */
        JobType: string;
        /** @description The `id` of the last event that the client has seen. What was never an `id` is ignored. */
        LastEventId: string;
        /**
         * @description `wait=n` asks to be answered when the job has ended, but after n seconds at the latest (RFC 7240
         *     section 4.3). The server may wait for less time. Other preferences, and what is none, are ignored.
         */
        Prefer: string;
        /** @description With `no-cache` the work is done anew although a fresh result exists. */
        SubmitCacheControl: string;
    };
    requestBodies: never;
    headers: {
        /** @description `private, no-cache`; for a stream also `no-transform`. */
        CacheControl: string;
        /** @description The version of the job, quoted. */
        ETag: string;
        /** @description Until when the resource stays readable (IMF-fixdate, RFC 9110 section 5.6.7). */
        Expires: string;
        /** @description The absolute URL of the status resource. */
        Location: string;
        /** @description Seconds to wait before trying again. */
        RetryAfter: number;
        /** @description Asks proxies not to hold the stream back. */
        XAccelBuffering: "no";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    submitJobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `no-cache` the work is done anew although a fresh result exists. */
                "Cache-Control"?: components["parameters"]["SubmitCacheControl"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobBatch"];
            };
        };
        responses: {
            /** @description What became of each job. Those with status 202 are committed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamEventsOfJobs: {
        parameters: {
            query: {
                /** @description The ids of the jobs, separated by commas. */
                job: components["parameters"]["JobIds"];
            };
            header?: {
                /** @description The `id` of the last event that the client has seen. What was never an `id` is ignored. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-Accel-Buffering": components["headers"]["XAccelBuffering"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description `Last-Event-ID` is the one of `end`. This stops a browser's EventSource. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooManyRequests"];
            /** @description The list is so long that the HTTP server refuses the request line. */
            431: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    submitJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description With `no-cache` the work is done anew although a fresh result exists. */
                "Cache-Control"?: components["parameters"]["SubmitCacheControl"];
                /**
                 * @description 1 to 255 visible ASCII characters. Submits of one tenant that carry the same key are answered with
                 *     the same job. The quoted form of the IETF draft and the bare form are the same key; a key that
                 *     begins with a quotation mark is taken for the quoted form.
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `wait=n` asks to be answered when the job has ended, but after n seconds at the latest (RFC 7240
                 *     section 4.3). The server may wait for less time. Other preferences, and what is none, are ignored.
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The type of the job, as registered with its handler. */
                job: components["parameters"]["JobType"];
            };
            cookie?: never;
        };
        /** @description The input of the job. A type that declares no input takes no body, or `null`. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JobInput"];
            };
        };
        responses: {
            /**
             * @description 200, and only to a request with `Prefer: wait`: the job is COMPLETED or CANCELLED by the time that it
             *     asked to wait. `Content-Location` and `Location` are the URL of its status resource, whose
             *     representation this is.
             */
            "2XX": {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Location": components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    Expires: components["headers"]["Expires"];
                    Location: components["headers"]["Location"];
                    /** @description `wait=n`, where the server was asked to wait: how many seconds it was ready to. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Accepted. The job is committed. */
            202: {
                headers: {
                    Location: components["headers"]["Location"];
                    /** @description `wait=n`, where the server was asked to wait: how many seconds it was ready to. */
                    "Preference-Applied"?: string;
                    /** @description Seconds to wait before polling the status. Left out when the job has ended. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedJob"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["NotAuthorized"];
            406: components["responses"]["NotAcceptable"];
            /** @description The type runs one job at a time, and one runs now; `jobId` names it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description The idempotency key stands for another type or another input; or, with the code `job-failed`, the
             *     job is FAILED by the time that `Prefer` asked to wait, and this is what its status resource says.
             */
            422: {
                headers: {
                    /** @description The absolute URL of the status resource, where the job is FAILED. */
                    "Content-Location"?: string;
                    /** @description The absolute URL of the status resource, where the job is FAILED. */
                    Location?: string;
                    /** @description `wait=n`, where the server was asked to wait: how many seconds it was ready to. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["SubmitProblem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. Anything that is no id of a job answers 404, whatever its form. */
                job: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["CancelledJob"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["JobNotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["JobAlreadyEnded"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    completeJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. Anything that is no id of a job answers 404, whatever its form. */
                job: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CompletionReport"];
            };
        };
        responses: {
            /** @description The report was taken. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["ReportTokenRequired"];
            404: components["responses"]["JobNotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["ReportRefused"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    streamJobEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `id` of the last event that the client has seen. What was never an `id` is ignored. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path: {
                /** @description The id of the job. Anything that is no id of a job answers 404, whatever its form. */
                job: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    "X-Accel-Buffering": components["headers"]["XAccelBuffering"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description `Last-Event-ID` already is the version that the job ended with. This stops a browser's EventSource. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["JobNotFound"];
            406: components["responses"]["NotAcceptable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    failJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. Anything that is no id of a job answers 404, whatever its form. */
                job: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FailureReport"];
            };
        };
        responses: {
            /** @description The report was taken. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["ReportTokenRequired"];
            404: components["responses"]["JobNotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["ReportRefused"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    reportProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. Anything that is no id of a job answers 404, whatever its form. */
                job: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProgressReport"];
            };
        };
        responses: {
            /** @description The report was taken. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["ReportTokenRequired"];
            404: components["responses"]["JobNotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["ReportRefused"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getJobStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of an earlier answer (RFC 9110 section 13.1.2). */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description `wait=n` asks to be answered when the job has ended, but after n seconds at the latest (RFC 7240
                 *     section 4.3). The server may wait for less time. Other preferences, and what is none, are ignored.
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /** @description The id of the job. Anything that is no id of a job answers 404, whatever its form. */
                job: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is PENDING, PROCESSING, COMPLETED or CANCELLED. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    /** @description Once the job has ended, until when the resource stays readable (IMF-fixdate). */
                    Expires?: string;
                    /** @description `wait=n`, where the server was asked to wait: how many seconds it was ready to. */
                    "Preference-Applied"?: string;
                    /** @description Seconds to wait before polling the status. Left out when the job has ended. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description The version that `If-None-Match` names is still the current one. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    /** @description Once the job has ended, until when the resource stays readable (IMF-fixdate). */
                    Expires?: string;
                    /** @description `wait=n`, where the server was asked to wait: how many seconds it was ready to. */
                    "Preference-Applied"?: string;
                    /** @description Seconds to wait before polling the status. Left out when the job has ended. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["JobNotFound"];
            406: components["responses"]["NotAcceptable"];
            /** @description The job is FAILED. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["CacheControl"];
                    ETag: components["headers"]["ETag"];
                    Expires: components["headers"]["Expires"];
                    /** @description `wait=n`, where the server was asked to wait: how many seconds it was ready to. */
                    "Preference-Applied"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["FailedJobProblem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelJobByStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the job. Anything that is no id of a job answers 404, whatever its form. */
                job: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["CancelledJob"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["JobNotFound"];
            406: components["responses"]["NotAcceptable"];
            409: components["responses"]["JobAlreadyEnded"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
