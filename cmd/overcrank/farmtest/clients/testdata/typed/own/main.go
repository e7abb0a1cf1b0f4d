// Command own submits and follows a job with a client that was generated from the document that the farm serves.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	log.SetFlags(log.Lshortfile)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	token := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("OVERCRANK_TOKEN"))
		return nil
	}
	c, err := NewClientWithResponses(os.Getenv("OVERCRANK_SERVER"), WithRequestEditorFn(token))
	must(err)
	made, err := c.CreateTemplateWithResponse(ctx, nil, NewTemplate{Type: "zip", DisplayName: "Card"})
	must(err)
	want(made.JSON201 != nil && made.JSON201.UploadInfo != nil, "create template: %s", made.Body)
	file, err := os.Open(os.Getenv("PROJECT"))
	must(err)
	put, err := http.NewRequestWithContext(ctx, http.MethodPut, made.JSON201.UploadInfo.Url, file)
	must(err)
	res, err := http.DefaultClient.Do(put)
	must(err)
	res.Body.Close()
	want(res.StatusCode == http.StatusOK, "the upload answers %d", res.StatusCode)

	var title Asset
	var words TextAsset_Value
	must(words.FromTextAssetValue0("Night Shift"))
	must(title.FromTextAsset(TextAsset{LayerName: "Title", Value: words}))
	var frames Settings_Frames
	must(frames.FromSettingsFrames1([]int{0, 4}))
	key := "night-1"
	asked := JobCreation{Template: JobTemplate{Id: &made.JSON201.Id, Composition: ptr("Title Card")}, Assets: &[]Asset{title}, Settings: &Settings{Frames: &frames}}
	job, err := c.CreateJobWithResponse(ctx, &CreateJobParams{IdempotencyKey: &key}, asked)
	must(err)
	want(job.JSON201 != nil, "create job: %s", job.Body)
	twice, err := c.CreateJobWithResponse(ctx, &CreateJobParams{IdempotencyKey: &key}, asked)
	must(err)
	want(twice.JSON201 != nil && twice.JSON201.Id == job.JSON201.Id, "the same request again gives %s", twice.Body)
	for status := JobStatus(""); status != JobStatusFinished; {
		got, err := c.GetJobWithResponse(ctx, job.JSON201.Id)
		must(err)
		want(got.JSON200 != nil, "get job: %s", got.Body)
		status = got.JSON200.Status
		want(status != JobStatusError && status != JobStatusManuallyCancelled, "the job has failed: %s", got.Body)
		time.Sleep(100 * time.Millisecond)
	}
	list, err := c.ListJobsWithResponse(ctx, &ListJobsParams{States: &[]JobStatus{JobStatusFinished}, Limit: ptr(5)})
	must(err)
	want(list.JSON200 != nil && len(*list.JSON200) == 1, "list: %s", list.Body)
	fmt.Println("done")
}

func must(err error) {
	if err != nil {
		_ = log.Output(2, err.Error())
		os.Exit(1)
	}
}

func want(ok bool, format string, args ...any) {
	if !ok {
		_ = log.Output(2, fmt.Sprintf(format, args...))
		os.Exit(1)
	}
}

func ptr[T any](v T) *T { return &v }
