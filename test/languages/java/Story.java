import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.model.FailedJobProblem;
import org.openapitools.client.model.Problem;

/** Submits, polls and cancels jobs with a generated client: java Story <base URL> */
class Story {
    static <T> T problemOf(Jobs jobs, UUID id, Class<T> type) throws Exception {
        try {
            throw new AssertionError("expected a problem, found " + jobs.waitFor(id));
        } catch (ApiException error) {
            return ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), type);
        }
    }

    public static void main(String[] args) throws Exception {
        Jobs jobs = new Jobs(args[0]);
        System.out.println("completed " + jobs.waitFor(jobs.submit("noop")).getStatus());

        FailedJobProblem failed = problemOf(jobs, jobs.submit("fails"), FailedJobProblem.class);
        System.out.println("failed " + failed.getStatus() + " " + failed.getFailureCode());

        UUID slow = jobs.submit("slow");
        jobs.api.cancelJob(slow);
        System.out.println("cancelled " + jobs.waitFor(slow).getStatus());

        UUID nobody = UUID.fromString("01890000-0000-7000-8000-000000000000");
        Problem missing = problemOf(jobs, nobody, Problem.class);
        System.out.println("missing " + missing.getStatus() + " " + missing.getCode());
    }
}
