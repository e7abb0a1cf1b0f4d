// Command published walks through the interface with a client that was generated from its published contract.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
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
	c, err := NewClientWithResponses(os.Getenv("OVERCRANK_SERVER")+"/api", WithRequestEditorFn(token))
	must(err)
	id := template(ctx, c)
	jobs(ctx, c, id)
	joins(ctx, c, id)
	batches(ctx, c, id)
	fonts(ctx, c)
	secrets(ctx, c)
	deleted, err := c.DeleteTemplateWithResponse(ctx, id)
	must(err)
	want(deleted.StatusCode() == http.StatusNoContent, "delete template: %s", deleted.Body)
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

func template(ctx context.Context, c *ClientWithResponses) string {
	made, err := c.CreateTemplateWithResponse(ctx, CreateTemplateJSONRequestBody{Type: "zip", DisplayName: "Card"})
	must(err)
	want(made.JSON201 != nil, "create template: %s", made.Body)
	tpl := *made.JSON201
	fresh, err := c.TemplateUploadWithResponse(ctx, *tpl.Id)
	must(err)
	want(fresh.JSON200 != nil, "fresh address: %s", fresh.Body)
	file, err := os.Open(os.Getenv("PROJECT"))
	must(err)
	put, err := http.NewRequestWithContext(ctx, string(fresh.JSON200.Method), fresh.JSON200.Url, file)
	must(err)
	put.Header.Set("Content-Type", "application/octet-stream")
	for name, value := range *fresh.JSON200.Fields {
		put.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(put)
	must(err)
	res.Body.Close()
	want(res.StatusCode < 300, "the upload answers %d", res.StatusCode)
	for *tpl.Status != "uploaded" {
		want(*tpl.Status != "error", "the template is refused: %v", tpl.Error)
		time.Sleep(100 * time.Millisecond)
		got, err := c.GetTemplateWithResponse(ctx, *tpl.Id)
		must(err)
		want(got.JSON200 != nil, "get template: %s", got.Body)
		tpl = *got.JSON200
	}
	want(len(*tpl.Compositions) == 2 && len(*tpl.Layers) > 0 && tpl.CreatedAt != nil, "the template is %+v", tpl)
	named, err := c.UpdateTemplateWithResponse(ctx, *tpl.Id, UpdateTemplateJSONRequestBody{DisplayName: ptr("Title card")})
	must(err)
	want(named.JSON200 != nil && *named.JSON200.DisplayName == "Title card", "rename: %s", named.Body)
	download, err := c.TemplateDownloadWithResponse(ctx, *tpl.Id)
	must(err)
	want(download.JSON200 != nil && *download.JSON200.Url != "", "download: %s", download.Body)

	all, err := c.ListTemplatesWithResponse(ctx)
	must(err)
	want(all.JSON200 != nil && len(*all.JSON200) == 1, "list: %s", all.Body)
	brief, err := c.ListTemplatesV3WithResponse(ctx)
	must(err)
	want(brief.JSON200 != nil && len(*brief.JSON200) == 1, "v3 list: %s", brief.Body)
	one, err := c.GetTemplateV3WithResponse(ctx, *tpl.Id)
	must(err)
	want(one.JSON200 != nil && one.JSON200.Id == *tpl.Id, "v3: %s", one.Body)
	comps, err := c.ListCompsWithResponse(ctx, *tpl.Id, &ListCompsParams{})
	must(err)
	want(comps.JSON200 != nil && len(*comps.JSON200) == 2, "compositions: %s", comps.Body)
	layers, err := c.ListLayersWithResponse(ctx, *tpl.Id, &ListLayersParams{Limit: ptr(2), Offset: ptr(1)})
	must(err)
	want(layers.JSON200 != nil && len(*layers.JSON200) == 2, "layers: %s", layers.Body)
	return *tpl.Id
}

func body(id, composition string) JobCreation {
	return JobCreation{Template: JobCreation_Template{Id: id, Composition: &composition}}
}

func jobs(ctx context.Context, c *ClientWithResponses, id string) {
	asked := body(id, "Film Strip")
	asked.Assets = &[]JobAsset{{Type: "data", LayerName: ptr("Rail"), AdditionalProperties: map[string]any{"property": "Opacity", "value": 50}}}
	asked.Preview = ptr(true)
	made, err := c.CreateJobWithResponse(ctx, asked)
	must(err)
	want(made.JSON201 != nil && made.JSON201.Status == Queued, "create job: %s", made.Body)
	var job Job
	for status := ""; status != "finished"; {
		got, err := c.GetJobWithResponse(ctx, made.JSON201.Id)
		must(err)
		want(got.JSON200 != nil, "get job: %s", got.Body)
		job, status = *got.JSON200, *got.JSON200.Status
		want(status != "error" && status != "manually_cancelled", "the job has failed: %s", got.Body)
		time.Sleep(100 * time.Millisecond)
	}
	want(*job.Progress == 100 && *job.Stats.TotalAssets == 1 && *job.Stats.RenderDuration > 0 && *job.OutputUrl == made.JSON201.OutputUrl, "the job is %+v", job)
	film, err := http.Get(*job.OutputUrl)
	must(err)
	n, err := io.Copy(io.Discard, film.Body)
	must(err)
	want(film.StatusCode == http.StatusOK && n > 1000, "the film is %d bytes, %d", n, film.StatusCode)
	logs, err := c.GetJobLogsWithResponse(ctx, *job.Id)
	must(err)
	want(logs.StatusCode() == http.StatusOK && len(logs.Body) > 0, "log: %d", logs.StatusCode())
	list, err := c.ListJobsWithResponse(ctx, &ListJobsParams{Limit: ptr(10), States: ptr("finished")})
	must(err)
	want(list.JSON200 != nil && len(*list.JSON200) == 1, "list: %s", list.Body)

	held := body(id, "Film Strip")
	held.AdditionalProperties = map[string]any{"hold": true}
	first, err := c.CreateJobWithResponse(ctx, held)
	must(err)
	second, err := c.CreateJobWithResponse(ctx, held)
	must(err)
	one, err := c.CancelJobWithResponse(ctx, first.JSON201.Id)
	must(err)
	want(one.JSON200 != nil && *(*one.JSON200)[0].Status == "manually_cancelled", "cancel: %s", one.Body)
	many, err := c.CancelJobsWithResponse(ctx, CancelJobsJSONRequestBody{Jobs: []string{second.JSON201.Id}})
	must(err)
	want(many.JSON200 != nil && len(*many.JSON200) == 1, "cancel: %s", many.Body)
	again, err := c.CancelJobWithResponse(ctx, first.JSON201.Id)
	must(err)
	want(again.StatusCode() == http.StatusConflict, "a second cancel answers %d", again.StatusCode())
}

func joins(ctx context.Context, c *ClientWithResponses, id string) {
	text := fmt.Sprintf(`{"assets": [{"type": "job", "template": {"id": %q, "composition": "Film Strip"}, "preview": true}]}`, id)
	made, err := c.JoinJobWithBodyWithResponse(ctx, "application/json", strings.NewReader(text))
	must(err)
	want(made.JSON201 != nil && made.JSON201.Status == Pending && len(*made.JSON201.Children) == 1, "join: %s", made.Body)
	gone, err := c.CancelJobWithResponse(ctx, made.JSON201.Id, force)
	must(err)
	want(gone.JSON200 != nil && len(*gone.JSON200) == 2, "cancelling a join: %s", gone.Body)
}

// force asks for what renders to be stopped too, which the published contract does not know.
func force(_ context.Context, r *http.Request) error {
	r.URL.RawQuery = "force=true"
	return nil
}

func batches(ctx context.Context, c *ClientWithResponses, id string) {
	held := body(id, "Film Strip")
	held.AdditionalProperties = map[string]any{"hold": true}
	made, err := c.CreateBatchWithResponse(ctx, CreateBatchJSONRequestBody{Jobs: []JobCreation{held, body(id, "no such composition")}})
	must(err)
	want(made.JSON201 != nil && made.JSON201.Status == BatchCreatedStatusPartial && made.JSON201.SuccessCount == 1 && len(*made.JSON201.Errors) == 1, "batch: %s", made.Body)
	got, err := c.GetBatchWithResponse(ctx, made.JSON201.BatchId)
	must(err)
	want(got.JSON200 != nil && got.JSON200.Status == BatchStatusStatusProcessing && *got.JSON200.Stats.Pending == 1, "batch: %s", got.Body)
	gone, err := c.CancelBatchWithResponse(ctx, made.JSON201.BatchId)
	must(err)
	want(gone.JSON200 != nil && gone.JSON200.Status == BatchCancelledStatusCancelled && gone.JSON200.CancelledCount == 1, "cancel: %s", gone.Body)
}

func fonts(ctx context.Context, c *ClientWithResponses) {
	file, err := os.ReadFile(os.Getenv("FONT"))
	must(err)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("font", "Go-Regular.ttf")
	must(err)
	_, err = part.Write(file)
	must(err)
	must(w.Close())
	made, err := c.UploadFontWithBodyWithResponse(ctx, w.FormDataContentType(), &form)
	must(err)
	want(made.JSON201 != nil && *made.JSON201.FileName == "Go-Regular.ttf" && *made.JSON201.FamilyName == "Go", "font: %s", made.Body)
	list, err := c.ListFontsWithResponse(ctx)
	must(err)
	want(list.JSON200 != nil && len(*list.JSON200) == 1, "fonts: %s", list.Body)
	one, err := c.GetFontWithResponse(ctx, *made.JSON201.Id)
	must(err)
	want(one.JSON200 != nil && *one.JSON200.Id == *made.JSON201.Id, "font: %s", one.Body)
	gone, err := c.DeleteFontWithResponse(ctx, *made.JSON201.Id)
	must(err)
	want(gone.StatusCode() == http.StatusNoContent, "delete font: %s", gone.Body)
}

func secrets(ctx context.Context, c *ClientWithResponses) {
	made, err := c.CreateSecretWithResponse(ctx, CreateSecretJSONRequestBody{Name: "KEY", Value: "s3cr3t"})
	must(err)
	want(made.StatusCode() == http.StatusCreated, "secret: %s", made.Body)
	again, err := c.CreateSecretWithResponse(ctx, CreateSecretJSONRequestBody{Name: "KEY", Value: "other"})
	must(err)
	want(again.StatusCode() == http.StatusConflict && bytes.Contains(again.Body, []byte("SECRET_ALREADY_EXISTS")), "a second secret: %s", again.Body)
	list, err := c.ListSecretsWithResponse(ctx)
	must(err)
	want(list.JSON200 != nil && len(*list.JSON200) == 1 && !bytes.Contains(list.Body, []byte("s3cr3t")), "secrets: %s", list.Body)
	gone, err := c.DeleteSecretWithResponse(ctx, (*list.JSON200)[0].Id)
	must(err)
	want(gone.StatusCode() == http.StatusOK, "delete secret: %s", gone.Body)
}
