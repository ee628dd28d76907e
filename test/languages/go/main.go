// Submits, polls and cancels jobs with a generated client: go run . <base URL>
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"story/asyncjobs"

	"github.com/google/uuid"
)

// docs: begin
func waitForJob(client *asyncjobs.ClientWithResponses, id uuid.UUID) *asyncjobs.GetJobStatusResponse {
	for {
		answer := must(client.GetJobStatusWithResponse(context.Background(), id, nil))
		seconds, err := strconv.Atoi(answer.HTTPResponse.Header.Get("Retry-After"))
		if err != nil {
			return answer
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func submit(client *asyncjobs.ClientWithResponses, jobType string) uuid.UUID {
	answer := must(client.SubmitJobWithBodyWithResponse(context.Background(), jobType, nil, "", nil))
	return answer.JSON202.JobId
}

// docs: end

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	client := must(asyncjobs.NewClientWithResponses(os.Args[1]))
	fmt.Println("completed", waitForJob(client, submit(client, "noop")).JSON200.Status)

	failed := waitForJob(client, submit(client, "fails")).ApplicationproblemJSON422
	fmt.Println("failed", failed.Status, failed.FailureCode)

	slow := submit(client, "slow")
	must(client.CancelJobWithResponse(context.Background(), slow))
	fmt.Println("cancelled", waitForJob(client, slow).JSON200.Status)

	missing := waitForJob(client, uuid.MustParse("01890000-0000-7000-8000-000000000000")).ApplicationproblemJSON404
	fmt.Println("missing", missing.Status, missing.Code)
}
