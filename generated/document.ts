// Made by `npm run generate` from openapi.yaml. Do not edit.
/** The OpenAPI document as data, so that nothing reads a file at run time. */
export const document: Record<string, unknown> = {
  "openapi": "3.1.1",
  "info": {
    "title": "async-jobs",
    "version": "0.1.0",
    "summary": "Asynchronous Request-Reply over HTTP.",
    "description": "A client submits work and is answered `202 Accepted` at once. It learns how the work ends from an\nevent stream (server-sent events) or by polling the status resource. `version` grows by one at each\nvisible change of a job and decides which of two statements about it is the newer one.\n",
    "license": {
      "name": "MIT",
      "identifier": "MIT"
    }
  },
  "servers": [
    {
      "url": "/",
      "description": "The router serves these paths below the path that it is mounted at."
    }
  ],
  "security": [],
  "tags": [
    {
      "name": "jobs",
      "description": "Submit, watch and cancel jobs."
    },
    {
      "name": "reports",
      "description": "Reports of workers, in any language, on jobs that were only started here."
    }
  ],
  "paths": {
    "/jobs/{job}": {
      "post": {
        "operationId": "submitJob",
        "tags": [
          "jobs"
        ],
        "summary": "Make sure that the work of a type is done.",
        "description": "Answers with a job that does the work: a new one, or one that stands for it already (`outcome`\nsays which). `Location` and `statusUrl` are the same absolute URL. With `Prefer: wait=n` (RFC 7240\nsection 4.3) a job that ends within n seconds is answered as its status resource would: 200, or the\n422 problem of a FAILED one.\n",
        "parameters": [
          {
            "$ref": "#/components/parameters/JobType"
          },
          {
            "$ref": "#/components/parameters/IdempotencyKey"
          },
          {
            "$ref": "#/components/parameters/SubmitCacheControl"
          },
          {
            "$ref": "#/components/parameters/Prefer"
          }
        ],
        "requestBody": {
          "required": false,
          "description": "The input of the job. A type that declares no input takes no body, or `null`.",
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/JobInput"
              }
            }
          }
        },
        "responses": {
          "202": {
            "description": "Accepted. The job is committed.",
            "headers": {
              "Location": {
                "$ref": "#/components/headers/Location"
              },
              "Retry-After": {
                "description": "Seconds to wait before polling the status. Left out when the job has ended.",
                "required": false,
                "schema": {
                  "type": "integer",
                  "minimum": 0
                }
              },
              "Preference-Applied": {
                "description": "`wait=n`, where the server was asked to wait: how many seconds it was ready to.",
                "required": false,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/AcceptedJob"
                }
              }
            },
            "links": {
              "status": {
                "operationId": "getJobStatus",
                "parameters": {
                  "job": "$response.body#/jobId"
                }
              },
              "events": {
                "operationId": "streamJobEvents",
                "parameters": {
                  "job": "$response.body#/jobId"
                }
              },
              "cancel": {
                "operationId": "cancelJob",
                "parameters": {
                  "job": "$response.body#/jobId"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "403": {
            "$ref": "#/components/responses/NotAuthorized"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "409": {
            "description": "The type runs one job at a time, and one runs now; `jobId` names it.",
            "content": {
              "application/problem+json": {
                "schema": {
                  "$ref": "#/components/schemas/Problem"
                }
              }
            }
          },
          "413": {
            "$ref": "#/components/responses/ContentTooLarge"
          },
          "415": {
            "$ref": "#/components/responses/UnsupportedMediaType"
          },
          "422": {
            "description": "The idempotency key stands for another type or another input; or, with the code `job-failed`, the\njob is FAILED by the time that `Prefer` asked to wait, and this is what its status resource says.\n",
            "headers": {
              "Location": {
                "description": "The absolute URL of the status resource, where the job is FAILED.",
                "required": false,
                "schema": {
                  "type": "string",
                  "format": "uri"
                }
              },
              "Content-Location": {
                "description": "The absolute URL of the status resource, where the job is FAILED.",
                "required": false,
                "schema": {
                  "type": "string",
                  "format": "uri"
                }
              },
              "Preference-Applied": {
                "description": "`wait=n`, where the server was asked to wait: how many seconds it was ready to.",
                "required": false,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/problem+json": {
                "schema": {
                  "$ref": "#/components/schemas/SubmitProblem"
                }
              }
            }
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          },
          "2XX": {
            "description": "200, and only to a request with `Prefer: wait`: the job is COMPLETED or CANCELLED by the time that it\nasked to wait. `Content-Location` and `Location` are the URL of its status resource, whose\nrepresentation this is.\n",
            "headers": {
              "Location": {
                "$ref": "#/components/headers/Location"
              },
              "Content-Location": {
                "$ref": "#/components/headers/Location"
              },
              "Cache-Control": {
                "$ref": "#/components/headers/CacheControl"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Expires": {
                "$ref": "#/components/headers/Expires"
              },
              "Preference-Applied": {
                "description": "`wait=n`, where the server was asked to wait: how many seconds it was ready to.",
                "required": false,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Job"
                }
              }
            }
          }
        }
      },
      "delete": {
        "operationId": "cancelJob",
        "tags": [
          "jobs"
        ],
        "summary": "Cancel a job.",
        "description": "Marks the job CANCELLED at once, aborts the signal of its handler wherever that runs, and refuses\nwhatever that run reports later.\n",
        "parameters": [
          {
            "$ref": "#/components/parameters/JobId"
          }
        ],
        "responses": {
          "202": {
            "$ref": "#/components/responses/CancelledJob"
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "404": {
            "$ref": "#/components/responses/JobNotFound"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "409": {
            "$ref": "#/components/responses/JobAlreadyEnded"
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      }
    },
    "/jobs/{job}/status": {
      "get": {
        "operationId": "getJobStatus",
        "tags": [
          "jobs"
        ],
        "summary": "Read the state of a job.",
        "description": "200 for every state but FAILED, which is a 422 problem. While the job is active the answer carries\n`Retry-After`; once it has ended it carries `Expires`, until when the resource stays readable.\nNever a redirect. With `Prefer: wait=n` an active job is answered when it ends, and with\n`If-None-Match` as soon as it changes, but after n seconds at the latest.\n",
        "parameters": [
          {
            "$ref": "#/components/parameters/JobId"
          },
          {
            "$ref": "#/components/parameters/IfNoneMatch"
          },
          {
            "$ref": "#/components/parameters/Prefer"
          }
        ],
        "responses": {
          "200": {
            "description": "The job is PENDING, PROCESSING, COMPLETED or CANCELLED.",
            "headers": {
              "Cache-Control": {
                "$ref": "#/components/headers/CacheControl"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Retry-After": {
                "description": "Seconds to wait before polling the status. Left out when the job has ended.",
                "required": false,
                "schema": {
                  "type": "integer",
                  "minimum": 0
                }
              },
              "Expires": {
                "description": "Once the job has ended, until when the resource stays readable (IMF-fixdate).",
                "required": false,
                "schema": {
                  "type": "string"
                }
              },
              "Preference-Applied": {
                "description": "`wait=n`, where the server was asked to wait: how many seconds it was ready to.",
                "required": false,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Job"
                }
              }
            }
          },
          "304": {
            "description": "The version that `If-None-Match` names is still the current one.",
            "headers": {
              "Cache-Control": {
                "$ref": "#/components/headers/CacheControl"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Retry-After": {
                "description": "Seconds to wait before polling the status. Left out when the job has ended.",
                "required": false,
                "schema": {
                  "type": "integer",
                  "minimum": 0
                }
              },
              "Expires": {
                "description": "Once the job has ended, until when the resource stays readable (IMF-fixdate).",
                "required": false,
                "schema": {
                  "type": "string"
                }
              },
              "Preference-Applied": {
                "description": "`wait=n`, where the server was asked to wait: how many seconds it was ready to.",
                "required": false,
                "schema": {
                  "type": "string"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "404": {
            "$ref": "#/components/responses/JobNotFound"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "422": {
            "description": "The job is FAILED.",
            "headers": {
              "Cache-Control": {
                "$ref": "#/components/headers/CacheControl"
              },
              "ETag": {
                "$ref": "#/components/headers/ETag"
              },
              "Expires": {
                "$ref": "#/components/headers/Expires"
              },
              "Preference-Applied": {
                "description": "`wait=n`, where the server was asked to wait: how many seconds it was ready to.",
                "required": false,
                "schema": {
                  "type": "string"
                }
              }
            },
            "content": {
              "application/problem+json": {
                "schema": {
                  "$ref": "#/components/schemas/FailedJobProblem"
                }
              }
            }
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      },
      "delete": {
        "operationId": "cancelJobByStatus",
        "tags": [
          "jobs"
        ],
        "summary": "Cancel a job (alias of cancelJob).",
        "parameters": [
          {
            "$ref": "#/components/parameters/JobId"
          }
        ],
        "responses": {
          "202": {
            "$ref": "#/components/responses/CancelledJob"
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "404": {
            "$ref": "#/components/responses/JobNotFound"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "409": {
            "$ref": "#/components/responses/JobAlreadyEnded"
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      }
    },
    "/jobs/{job}/events": {
      "get": {
        "operationId": "streamJobEvents",
        "tags": [
          "jobs"
        ],
        "summary": "Watch a job until it ends.",
        "description": "Server-sent events: a snapshot of the current state, every later change, the event that says how\nthe job ended, and then the server closes the stream. The `id` of an event is the job's `version`;\nits `data` is one line of JSON, of the schema that `x-events` names. The stream is derived from\nstate: a change that was overwritten before it could be sent is left out, the last one never is.\n",
        "parameters": [
          {
            "$ref": "#/components/parameters/JobId"
          },
          {
            "$ref": "#/components/parameters/LastEventId"
          }
        ],
        "responses": {
          "200": {
            "description": "The stream.",
            "headers": {
              "Cache-Control": {
                "$ref": "#/components/headers/CacheControl"
              },
              "X-Accel-Buffering": {
                "$ref": "#/components/headers/XAccelBuffering"
              }
            },
            "content": {
              "text/event-stream": {
                "schema": {
                  "type": "string"
                },
                "x-events": {
                  "status": {
                    "$ref": "#/components/schemas/StatusEvent"
                  },
                  "progress": {
                    "$ref": "#/components/schemas/ProgressEvent"
                  },
                  "complete": {
                    "$ref": "#/components/schemas/CompleteEvent"
                  },
                  "failed": {
                    "$ref": "#/components/schemas/FailedEvent"
                  },
                  "cancelled": {
                    "$ref": "#/components/schemas/CancelledEvent"
                  }
                }
              }
            }
          },
          "204": {
            "description": "`Last-Event-ID` already is the version that the job ended with. This stops a browser's EventSource.\n"
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "404": {
            "$ref": "#/components/responses/JobNotFound"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "429": {
            "$ref": "#/components/responses/TooManyRequests"
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      }
    },
    "/job-events": {
      "get": {
        "operationId": "streamEventsOfJobs",
        "tags": [
          "jobs"
        ],
        "summary": "Watch many jobs over one connection until all of them have ended.",
        "description": "Server-sent events as of `streamJobEvents`, of all the jobs that are named: each event names its job\nin `data`, and its `id` is that job's `version`. An id of no job that the caller may know of, and a\njob that is deleted meanwhile, is told of by `unknown`, once. When nothing more can come, the last event is `end`,\nand the server closes the stream.\n",
        "parameters": [
          {
            "$ref": "#/components/parameters/JobIds"
          },
          {
            "$ref": "#/components/parameters/LastEventId"
          }
        ],
        "responses": {
          "200": {
            "description": "The stream.",
            "headers": {
              "Cache-Control": {
                "$ref": "#/components/headers/CacheControl"
              },
              "X-Accel-Buffering": {
                "$ref": "#/components/headers/XAccelBuffering"
              }
            },
            "content": {
              "text/event-stream": {
                "schema": {
                  "type": "string"
                },
                "x-events": {
                  "status": {
                    "$ref": "#/components/schemas/StatusEvent"
                  },
                  "progress": {
                    "$ref": "#/components/schemas/ProgressEvent"
                  },
                  "complete": {
                    "$ref": "#/components/schemas/CompleteEvent"
                  },
                  "failed": {
                    "$ref": "#/components/schemas/FailedEvent"
                  },
                  "cancelled": {
                    "$ref": "#/components/schemas/CancelledEvent"
                  },
                  "unknown": {
                    "$ref": "#/components/schemas/UnknownJobEvent"
                  },
                  "end": {
                    "$ref": "#/components/schemas/EndEvent"
                  }
                }
              }
            }
          },
          "204": {
            "description": "`Last-Event-ID` is the one of `end`. This stops a browser's EventSource.\n"
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "429": {
            "$ref": "#/components/responses/TooManyRequests"
          },
          "431": {
            "description": "The list is so long that the HTTP server refuses the request line."
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      }
    },
    "/jobs/{job}/progress": {
      "post": {
        "operationId": "reportProgress",
        "tags": [
          "reports"
        ],
        "summary": "Report how far the work of a job has come.",
        "description": "Renews the time that a job may be silent, also with the same percentage. 409 or 404 means that the\nreport was refused, usually because the job was cancelled: stop the work.\n",
        "security": [
          {
            "reportToken": []
          }
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/JobId"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ProgressReport"
              }
            }
          }
        },
        "responses": {
          "204": {
            "description": "The report was taken."
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "401": {
            "$ref": "#/components/responses/ReportTokenRequired"
          },
          "404": {
            "$ref": "#/components/responses/JobNotFound"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "409": {
            "$ref": "#/components/responses/ReportRefused"
          },
          "413": {
            "$ref": "#/components/responses/ContentTooLarge"
          },
          "415": {
            "$ref": "#/components/responses/UnsupportedMediaType"
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      }
    },
    "/jobs/{job}/completion": {
      "post": {
        "operationId": "completeJob",
        "tags": [
          "reports"
        ],
        "summary": "Report that the work of a job has ended well.",
        "description": "`output` is stored where the type declares one. 409 or 404 means that the report was refused.\n",
        "security": [
          {
            "reportToken": []
          }
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/JobId"
          }
        ],
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/CompletionReport"
              }
            }
          }
        },
        "responses": {
          "204": {
            "description": "The report was taken."
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "401": {
            "$ref": "#/components/responses/ReportTokenRequired"
          },
          "404": {
            "$ref": "#/components/responses/JobNotFound"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "409": {
            "$ref": "#/components/responses/ReportRefused"
          },
          "413": {
            "$ref": "#/components/responses/ContentTooLarge"
          },
          "415": {
            "$ref": "#/components/responses/UnsupportedMediaType"
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      }
    },
    "/jobs/{job}/failure": {
      "post": {
        "operationId": "failJob",
        "tags": [
          "reports"
        ],
        "summary": "Report that the work of a job has failed.",
        "description": "In words that may reach a client. 409 or 404 means that the report was refused.\n",
        "security": [
          {
            "reportToken": []
          }
        ],
        "parameters": [
          {
            "$ref": "#/components/parameters/JobId"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/FailureReport"
              }
            }
          }
        },
        "responses": {
          "204": {
            "description": "The report was taken."
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "401": {
            "$ref": "#/components/responses/ReportTokenRequired"
          },
          "404": {
            "$ref": "#/components/responses/JobNotFound"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "409": {
            "$ref": "#/components/responses/ReportRefused"
          },
          "413": {
            "$ref": "#/components/responses/ContentTooLarge"
          },
          "415": {
            "$ref": "#/components/responses/UnsupportedMediaType"
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      }
    },
    "/job-batches": {
      "post": {
        "operationId": "submitJobs",
        "tags": [
          "jobs"
        ],
        "summary": "Submit many jobs at once.",
        "description": "Each job is answered in its place, as a submit of its own would be: with the job that does the work, or\nwith the problem that it alone met. A body that does not fit is refused as a whole. Jobs that carry a\nkey may be sent again.\n",
        "parameters": [
          {
            "$ref": "#/components/parameters/SubmitCacheControl"
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/JobBatch"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What became of each job. Those with status 202 are committed.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/BatchAnswer"
                }
              }
            }
          },
          "400": {
            "$ref": "#/components/responses/BadRequest"
          },
          "406": {
            "$ref": "#/components/responses/NotAcceptable"
          },
          "413": {
            "$ref": "#/components/responses/ContentTooLarge"
          },
          "415": {
            "$ref": "#/components/responses/UnsupportedMediaType"
          },
          "500": {
            "$ref": "#/components/responses/InternalError"
          },
          "503": {
            "$ref": "#/components/responses/Unavailable"
          }
        }
      }
    }
  },
  "components": {
    "securitySchemes": {
      "reportToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token that a fire-and-forget handler was given when the job was started. It speaks for that one\nstart of that one job, and for nothing once the job has been started again.\n"
      }
    },
    "parameters": {
      "JobType": {
        "name": "job",
        "in": "path",
        "required": true,
        "description": "The type of the job, as registered with its handler.",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 100,
          "pattern": "^[A-Za-z0-9._-]+$"
        }
      },
      "JobId": {
        "name": "job",
        "in": "path",
        "required": true,
        "description": "The id of the job. Anything that is no id of a job answers 404, whatever its form.",
        "schema": {
          "type": "string",
          "format": "uuid"
        }
      },
      "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "1 to 255 visible ASCII characters. Submits of one tenant that carry the same key are answered with\nthe same job. The quoted form of the IETF draft and the bare form are the same key; a key that\nbegins with a quotation mark is taken for the quoted form.\n",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 257,
          "pattern": "^(\"[\\x21-\\x7E]{1,255}\"|[\\x21\\x23-\\x7E][\\x21-\\x7E]{0,254})$"
        }
      },
      "SubmitCacheControl": {
        "name": "Cache-Control",
        "in": "header",
        "required": false,
        "description": "With `no-cache` the work is done anew although a fresh result exists.",
        "schema": {
          "type": "string",
          "maxLength": 1000
        }
      },
      "JobIds": {
        "name": "job",
        "in": "query",
        "required": true,
        "description": "The ids of the jobs, separated by commas.",
        "style": "form",
        "explode": false,
        "schema": {
          "type": "array",
          "minItems": 1,
          "maxItems": 200,
          "items": {
            "type": "string",
            "format": "uuid"
          }
        }
      },
      "Prefer": {
        "name": "Prefer",
        "in": "header",
        "required": false,
        "description": "`wait=n` asks to be answered when the job has ended, but after n seconds at the latest (RFC 7240\nsection 4.3). The server may wait for less time. Other preferences, and what is none, are ignored.\n",
        "schema": {
          "type": "string",
          "maxLength": 1000
        }
      },
      "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "required": false,
        "description": "The `ETag` of an earlier answer (RFC 9110 section 13.1.2).",
        "schema": {
          "type": "string",
          "maxLength": 1000
        }
      },
      "LastEventId": {
        "name": "Last-Event-ID",
        "in": "header",
        "required": false,
        "description": "The `id` of the last event that the client has seen. What was never an `id` is ignored.",
        "schema": {
          "type": "string",
          "maxLength": 100
        }
      }
    },
    "headers": {
      "Location": {
        "description": "The absolute URL of the status resource.",
        "required": true,
        "schema": {
          "type": "string",
          "format": "uri"
        }
      },
      "RetryAfter": {
        "description": "Seconds to wait before trying again.",
        "required": true,
        "schema": {
          "type": "integer",
          "minimum": 1
        }
      },
      "Expires": {
        "description": "Until when the resource stays readable (IMF-fixdate, RFC 9110 section 5.6.7).",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "ETag": {
        "description": "The version of the job, quoted.",
        "required": true,
        "schema": {
          "type": "string",
          "pattern": "^\"[0-9]+\"$"
        }
      },
      "CacheControl": {
        "description": "`private, no-cache`; for a stream also `no-transform`.",
        "required": true,
        "schema": {
          "type": "string"
        }
      },
      "XAccelBuffering": {
        "description": "Asks proxies not to hold the stream back.",
        "required": true,
        "schema": {
          "type": "string",
          "enum": [
            "no"
          ]
        }
      }
    },
    "responses": {
      "CancelledJob": {
        "description": "The job is CANCELLED.",
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Job"
            }
          }
        }
      },
      "BadRequest": {
        "description": "The request is not of the form that this document asks for.",
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "JobNotFound": {
        "description": "There is no such job, or none that the caller may know of.",
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "NotAcceptable": {
        "description": "`Accept` excludes what this operation answers with.",
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "NotAuthorized": {
        "description": "The caller may not do this.",
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "ReportTokenRequired": {
        "description": "The request has no report token.",
        "headers": {
          "WWW-Authenticate": {
            "description": "`Bearer` (RFC 6750 section 3).",
            "required": true,
            "schema": {
              "type": "string"
            }
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "ReportRefused": {
        "description": "The job has ended already. Stop the work.",
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "TooManyRequests": {
        "description": "The caller has as many open as it may.",
        "headers": {
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "JobAlreadyEnded": {
        "description": "The job has ended already.",
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "ContentTooLarge": {
        "description": "The body is larger than the server takes.",
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "UnsupportedMediaType": {
        "description": "The body is not JSON in UTF-8, or has a content coding that the server does not know.",
        "headers": {
          "Accept": {
            "description": "The media type that the operation takes (RFC 9110 section 15.5.16).",
            "required": true,
            "schema": {
              "type": "string"
            }
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "InternalError": {
        "description": "The server has a fault.",
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      },
      "Unavailable": {
        "description": "The server cannot take this request now; the same request may succeed later.",
        "headers": {
          "Retry-After": {
            "$ref": "#/components/headers/RetryAfter"
          }
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "$ref": "#/components/schemas/Problem"
            }
          }
        }
      }
    },
    "schemas": {
      "JobStatus": {
        "type": "string",
        "description": "PENDING: accepted, waiting for its turn. PROCESSING: running. COMPLETED: ended well. FAILED: ended\nwith an error. CANCELLED: cancelled. The last three are terminal.\n",
        "enum": [
          "PENDING",
          "PROCESSING",
          "COMPLETED",
          "FAILED",
          "CANCELLED"
        ]
      },
      "SubmitOutcome": {
        "type": "string",
        "description": "How a submit was answered. created: a new job. idempotent: the job that the key stands for. fresh:\na job whose result is still fresh. in-flight: a job that does the same work now.\n",
        "enum": [
          "created",
          "idempotent",
          "fresh",
          "in-flight"
        ]
      },
      "JobInput": {
        "description": "The input of a job, as its type declares it."
      },
      "JobOutput": {
        "description": "The output of a job, where its type declares one."
      },
      "AcceptedJob": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "jobId",
          "statusUrl",
          "eventsUrl",
          "outcome"
        ],
        "properties": {
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "statusUrl": {
            "type": "string",
            "format": "uri"
          },
          "eventsUrl": {
            "type": "string",
            "format": "uri"
          },
          "outcome": {
            "$ref": "#/components/schemas/SubmitOutcome"
          }
        }
      },
      "Job": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "jobId",
          "type",
          "status",
          "version",
          "createdAt",
          "lastUpdatedAt",
          "percentComplete"
        ],
        "properties": {
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "type": {
            "type": "string"
          },
          "status": {
            "$ref": "#/components/schemas/JobStatus"
          },
          "version": {
            "type": "integer",
            "minimum": 1
          },
          "createdAt": {
            "type": "string",
            "format": "date-time"
          },
          "lastUpdatedAt": {
            "type": "string",
            "format": "date-time"
          },
          "percentComplete": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 0,
            "maximum": 100
          },
          "output": {
            "$ref": "#/components/schemas/JobOutput"
          }
        }
      },
      "ProblemCode": {
        "type": "string",
        "description": "What went wrong, stable across releases.",
        "enum": [
          "body-too-deep",
          "body-too-large",
          "database-unavailable",
          "idempotency-key-required",
          "idempotency-key-reused",
          "internal-error",
          "invalid-host",
          "invalid-input",
          "invalid-request",
          "job-already-ended",
          "job-failed",
          "job-in-flight",
          "job-not-found",
          "malformed-body",
          "malformed-url",
          "method-not-allowed",
          "not-acceptable",
          "not-authorized",
          "queue-full",
          "report-refused",
          "report-token-required",
          "route-not-found",
          "too-many-streams",
          "too-many-streams-of-caller",
          "unknown-type",
          "unsupported-media-type"
        ]
      },
      "Problem": {
        "type": "object",
        "description": "A problem (RFC 9457).",
        "additionalProperties": false,
        "required": [
          "type",
          "title",
          "status",
          "code"
        ],
        "properties": {
          "type": {
            "type": "string",
            "format": "uri-reference"
          },
          "title": {
            "type": "string"
          },
          "status": {
            "type": "integer",
            "minimum": 400,
            "maximum": 599
          },
          "detail": {
            "type": "string"
          },
          "instance": {
            "type": "string",
            "format": "uri-reference"
          },
          "code": {
            "$ref": "#/components/schemas/ProblemCode"
          },
          "jobId": {
            "type": "string",
            "format": "uuid",
            "description": "The job that the problem is about."
          },
          "jobStatus": {
            "$ref": "#/components/schemas/JobStatus"
          },
          "errors": {
            "type": "array",
            "description": "What is wrong with the request, part by part.",
            "items": {
              "$ref": "#/components/schemas/RequestError"
            }
          }
        }
      },
      "RequestError": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "in",
          "detail"
        ],
        "properties": {
          "in": {
            "$ref": "#/components/schemas/RequestPart"
          },
          "name": {
            "type": "string",
            "description": "The name of the parameter, for all but the body."
          },
          "pointer": {
            "type": "string",
            "description": "Where in the body, as a URI fragment with a JSON pointer (RFC 6901 section 6)."
          },
          "detail": {
            "type": "string"
          }
        }
      },
      "ProgressReport": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "percentComplete"
        ],
        "properties": {
          "percentComplete": {
            "type": "number",
            "minimum": 0,
            "maximum": 100,
            "description": "Fractions are rounded down."
          }
        }
      },
      "CompletionReport": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "output": {
            "$ref": "#/components/schemas/JobOutput"
          }
        }
      },
      "FailureReport": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "title"
        ],
        "properties": {
          "title": {
            "type": "string",
            "maxLength": 2000
          },
          "detail": {
            "type": "string",
            "maxLength": 2000
          },
          "failureCode": {
            "type": "string",
            "maxLength": 200,
            "description": "Stable and machine-readable."
          }
        }
      },
      "RequestPart": {
        "type": "string",
        "enum": [
          "body",
          "header",
          "path",
          "query"
        ]
      },
      "FailedJobProblem": {
        "type": "object",
        "description": "The state of a FAILED job, as a problem (RFC 9457). `status` is the HTTP status.",
        "additionalProperties": false,
        "required": [
          "type",
          "title",
          "status",
          "code",
          "failureCode",
          "jobId",
          "jobType",
          "jobStatus",
          "version",
          "createdAt",
          "lastUpdatedAt",
          "percentComplete"
        ],
        "properties": {
          "type": {
            "type": "string",
            "format": "uri-reference"
          },
          "title": {
            "type": "string",
            "description": "What the handler said, or a sentence of ours where it said nothing for clients to read."
          },
          "status": {
            "type": "integer",
            "minimum": 422,
            "maximum": 422
          },
          "detail": {
            "type": "string"
          },
          "instance": {
            "type": "string",
            "format": "uri-reference"
          },
          "code": {
            "$ref": "#/components/schemas/ProblemCode"
          },
          "failureCode": {
            "type": "string",
            "description": "Why the job failed. Of ours: handler-error, timed-out, worker-lost, processing-timeout,\ninvalid-output; a handler may give its own.\n"
          },
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "jobType": {
            "type": "string",
            "description": "The type of the job; `type` is the type of the problem."
          },
          "jobStatus": {
            "$ref": "#/components/schemas/JobStatus"
          },
          "version": {
            "type": "integer",
            "minimum": 1
          },
          "createdAt": {
            "type": "string",
            "format": "date-time"
          },
          "lastUpdatedAt": {
            "type": "string",
            "format": "date-time"
          },
          "percentComplete": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 0,
            "maximum": 100
          }
        }
      },
      "SubmitProblem": {
        "type": "object",
        "description": "A problem (RFC 9457). With the code `job-failed` it has all members of FailedJobProblem.\n",
        "additionalProperties": false,
        "required": [
          "type",
          "title",
          "status",
          "code"
        ],
        "properties": {
          "type": {
            "type": "string",
            "format": "uri-reference"
          },
          "title": {
            "type": "string"
          },
          "status": {
            "type": "integer",
            "minimum": 422,
            "maximum": 422
          },
          "detail": {
            "type": "string"
          },
          "instance": {
            "type": "string",
            "format": "uri-reference"
          },
          "code": {
            "$ref": "#/components/schemas/ProblemCode"
          },
          "failureCode": {
            "type": "string",
            "description": "Why the job failed. Of ours: handler-error, timed-out, worker-lost, processing-timeout,\ninvalid-output; a handler may give its own.\n"
          },
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "jobType": {
            "type": "string",
            "description": "The type of the job; `type` is the type of the problem."
          },
          "jobStatus": {
            "$ref": "#/components/schemas/JobStatus"
          },
          "version": {
            "type": "integer",
            "minimum": 1
          },
          "createdAt": {
            "type": "string",
            "format": "date-time"
          },
          "lastUpdatedAt": {
            "type": "string",
            "format": "date-time"
          },
          "percentComplete": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 0,
            "maximum": 100
          },
          "errors": {
            "type": "array",
            "description": "What is wrong with the request, part by part.",
            "items": {
              "$ref": "#/components/schemas/RequestError"
            }
          }
        }
      },
      "StatusEvent": {
        "type": "object",
        "description": "The job is active; its status has changed, or this is the snapshot.",
        "additionalProperties": false,
        "required": [
          "jobId",
          "status",
          "version",
          "lastUpdatedAt",
          "percentComplete"
        ],
        "properties": {
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "status": {
            "$ref": "#/components/schemas/JobStatus"
          },
          "version": {
            "type": "integer",
            "minimum": 1
          },
          "lastUpdatedAt": {
            "type": "string",
            "format": "date-time"
          },
          "percentComplete": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 0,
            "maximum": 100
          }
        }
      },
      "ProgressEvent": {
        "type": "object",
        "description": "The job is PROCESSING and has come further.",
        "additionalProperties": false,
        "required": [
          "jobId",
          "status",
          "version",
          "lastUpdatedAt",
          "percentComplete"
        ],
        "properties": {
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "status": {
            "$ref": "#/components/schemas/JobStatus"
          },
          "version": {
            "type": "integer",
            "minimum": 1
          },
          "lastUpdatedAt": {
            "type": "string",
            "format": "date-time"
          },
          "percentComplete": {
            "type": [
              "integer",
              "null"
            ],
            "minimum": 0,
            "maximum": 100
          }
        }
      },
      "CompleteEvent": {
        "type": "object",
        "description": "The job is COMPLETED. The work has ended at this instant; read your domain resource now.",
        "additionalProperties": false,
        "required": [
          "jobId",
          "version",
          "lastUpdatedAt"
        ],
        "properties": {
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "version": {
            "type": "integer",
            "minimum": 1
          },
          "lastUpdatedAt": {
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "CancelledEvent": {
        "type": "object",
        "description": "The job is CANCELLED.",
        "additionalProperties": false,
        "required": [
          "jobId",
          "version",
          "lastUpdatedAt"
        ],
        "properties": {
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "version": {
            "type": "integer",
            "minimum": 1
          },
          "lastUpdatedAt": {
            "type": "string",
            "format": "date-time"
          }
        }
      },
      "FailedEvent": {
        "type": "object",
        "description": "The job is FAILED. The status resource has the same as a problem.",
        "additionalProperties": false,
        "required": [
          "jobId",
          "version",
          "lastUpdatedAt",
          "title",
          "failureCode"
        ],
        "properties": {
          "jobId": {
            "type": "string",
            "format": "uuid"
          },
          "version": {
            "type": "integer",
            "minimum": 1
          },
          "lastUpdatedAt": {
            "type": "string",
            "format": "date-time"
          },
          "title": {
            "type": "string"
          },
          "detail": {
            "type": "string"
          },
          "failureCode": {
            "type": "string"
          }
        }
      },
      "UnknownJobEvent": {
        "type": "object",
        "description": "There is no such job (any more), or none that the caller may know of. Nothing follows for it.",
        "additionalProperties": false,
        "required": [
          "jobId"
        ],
        "properties": {
          "jobId": {
            "type": "string",
            "format": "uuid"
          }
        }
      },
      "EndEvent": {
        "type": "object",
        "description": "All jobs of the stream have ended or are unknown. Its `id` is `end`.",
        "additionalProperties": false,
        "required": [
          "jobs"
        ],
        "properties": {
          "jobs": {
            "type": "integer",
            "minimum": 1,
            "description": "How many they were."
          }
        }
      },
      "JobBatch": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "jobs"
        ],
        "properties": {
          "jobs": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "items": {
              "$ref": "#/components/schemas/JobRequest"
            }
          }
        }
      },
      "JobRequest": {
        "type": "object",
        "description": "What a submit of its own would name in the path, the body and `Idempotency-Key`.",
        "additionalProperties": false,
        "required": [
          "type"
        ],
        "properties": {
          "type": {
            "type": "string",
            "minLength": 1,
            "maxLength": 100,
            "pattern": "^[A-Za-z0-9._-]+$"
          },
          "input": {
            "$ref": "#/components/schemas/JobInput"
          },
          "idempotencyKey": {
            "type": "string",
            "description": "The bare form; quotation marks are part of the key.",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[\\x21-\\x7E]+$"
          }
        }
      },
      "BatchAnswer": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "results"
        ],
        "properties": {
          "results": {
            "type": "array",
            "description": "One for each job, in their order.",
            "items": {
              "$ref": "#/components/schemas/BatchResult"
            }
          }
        }
      },
      "BatchResult": {
        "type": "object",
        "description": "Either the job or the problem.",
        "additionalProperties": false,
        "required": [
          "status"
        ],
        "properties": {
          "status": {
            "type": "integer",
            "description": "The status that a submit of its own would have had; 202 with a job.",
            "minimum": 202,
            "maximum": 599
          },
          "job": {
            "$ref": "#/components/schemas/AcceptedJob"
          },
          "problem": {
            "$ref": "#/components/schemas/Problem"
          }
        }
      }
    }
  }
}
