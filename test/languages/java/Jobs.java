// docs: begin
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.JobsApi;
import org.openapitools.client.model.Job;

class Jobs {
    final JobsApi api;

    Jobs(String baseUrl) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(baseUrl);
        api = new JobsApi(client);
    }

    UUID submit(String type) throws ApiException {
        return api.submitJob(type, null, null, null, null).getJobId();
    }

    Job waitFor(UUID id) throws ApiException, InterruptedException {
        while (true) {
            ApiResponse<Job> answer = api.getJobStatusWithHttpInfo(id, null, null);
            var retryAfter = answer.getHeaders().get("retry-after");
            if (retryAfter == null) return answer.getData();
            Thread.sleep(1000L * Integer.parseInt(retryAfter.get(0)));
        }
    }
}
// docs: end
