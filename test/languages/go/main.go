// Submits, polls and cancels jobs with a generated client: go run . <base URL>
package main

import (
	"context"
	"fmt"
	"os"

	"story/asyncjobs"

	"github.com/google/uuid"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	client := must(asyncjobs.NewClientWithResponses(os.Args[1]))
	done := must(submit(ctx, client, "noop"))
	fmt.Println("completed", must(waitForJob(ctx, client, done)).JSON200.Status)

	fails := must(submit(ctx, client, "fails"))
	failed := must(waitForJob(ctx, client, fails)).ApplicationproblemJSON422
	fmt.Println("failed", failed.Status, failed.FailureCode)

	slow := must(submit(ctx, client, "slow"))
	must(client.CancelJobWithResponse(ctx, slow))
	fmt.Println("cancelled", must(waitForJob(ctx, client, slow)).JSON200.Status)

	nobody := uuid.MustParse("01890000-0000-7000-8000-000000000000")
	missing := must(waitForJob(ctx, client, nobody)).ApplicationproblemJSON404
	fmt.Println("missing", missing.Status, missing.Code)
}
