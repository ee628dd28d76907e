import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.model.FailedJobProblem;
import org.openapitools.client.model.Job;
import org.openapitools.client.model.Problem;

/** Submits, polls and cancels jobs with a generated client: java Story <base URL> */
class Story {
    final ApiClient client = new ApiClient();
    final JobsApi jobs;

    Story(String baseUrl) {
        client.updateBaseUri(baseUrl);
        jobs = new JobsApi(client);
    }

    // docs: begin
    Job waitForJob(UUID id) throws ApiException, InterruptedException {
        while (true) {
            ApiResponse<Job> answer = jobs.getJobStatusWithHttpInfo(id, null, null);
            var retryAfter = answer.getHeaders().get("retry-after");
            if (retryAfter == null) return answer.getData();
            Thread.sleep(1000L * Integer.parseInt(retryAfter.get(0)));
        }
    }

    UUID submit(String type) throws ApiException {
        return jobs.submitJob(type, null, null, null, null).getJobId();
    }
    // docs: end

    <T> T problemOf(UUID id, Class<T> type) throws Exception {
        try {
            throw new AssertionError("expected a problem, found " + waitForJob(id));
        } catch (ApiException error) {
            return ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), type);
        }
    }

    public static void main(String[] args) throws Exception {
        Story story = new Story(args[0]);
        System.out.println("completed " + story.waitForJob(story.submit("noop")).getStatus());

        FailedJobProblem failed = story.problemOf(story.submit("fails"), FailedJobProblem.class);
        System.out.println("failed " + failed.getStatus() + " " + failed.getFailureCode());

        UUID slow = story.submit("slow");
        story.jobs.cancelJob(slow);
        System.out.println("cancelled " + story.waitForJob(slow).getStatus());

        UUID nobody = UUID.fromString("01890000-0000-7000-8000-000000000000");
        Problem missing = story.problemOf(nobody, Problem.class);
        System.out.println("missing " + missing.getStatus() + " " + missing.getCode());
    }
}
