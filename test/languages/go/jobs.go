// docs: begin
package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"story/asyncjobs"

	"github.com/google/uuid"
)

func submit(ctx context.Context, client *asyncjobs.ClientWithResponses, jobType string) (uuid.UUID, error) {
	answer, err := client.SubmitJobWithBodyWithResponse(ctx, jobType, nil, "", nil)
	if err != nil {
		return uuid.Nil, err
	}
	if answer.JSON202 == nil {
		return uuid.Nil, fmt.Errorf("not submitted: %s", answer.Status())
	}
	return answer.JSON202.JobId, nil
}

func waitForJob(ctx context.Context, client *asyncjobs.ClientWithResponses, id uuid.UUID) (*asyncjobs.GetJobStatusResponse, error) {
	for {
		answer, err := client.GetJobStatusWithResponse(ctx, id, nil)
		if err != nil {
			return nil, err
		}
		seconds, err := strconv.Atoi(answer.HTTPResponse.Header.Get("Retry-After"))
		if err != nil {
			return answer, nil
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// docs: end
