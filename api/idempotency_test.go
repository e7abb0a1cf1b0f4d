package api_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"overcrank/coordinator/people"
	"overcrank/coordinator/state"
	"overcrank/coordinator/submission"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

const replayed = "Idempotent-Replay"

func keyed(key string) string { return "Idempotency-Key: " + key }

// twice sends a request two times under one key, and makes sure that the answers are the same.
func (r *rig) twice(path, body, key string, header ...string) reply {
	r.t.Helper()
	first := r.send(http.MethodPost, path, body, append(header, keyed(key))...)
	again := r.send(http.MethodPost, path, body, append(header, keyed(key))...)
	if first.header.Get(replayed) != "" || again.header.Get(replayed) != "true" {
		r.t.Errorf("%s is marked %q, and when it comes again %q", path, first.header.Get(replayed), again.header.Get(replayed))
	}
	if first.status != again.status || !bytes.Equal(first.body, again.body) || first.header.Get("Content-Type") != again.header.Get("Content-Type") {
		r.t.Errorf("%s answers %d %s, and when it comes again %d %s", path, first.status, first.body, again.status, again.body)
	}
	return first
}

func (r *rig) countJobs() int {
	r.t.Helper()
	var jobs []jobAnswer
	r.get("/api/v2/jobs?limit=1000").into(http.StatusOK, &jobs)
	return len(jobs)
}

func TestEveryPostIsAnsweredTheSameAgain(t *testing.T) {
	r := start(t)
	held := strings.Replace(srcJob, "{", `{"hold": true, `, 1)
	var job jobAnswer
	r.twice("/api/v2/jobs", held, "job").into(http.StatusCreated, &job)
	r.twice("/api/v2/jobs/join", srcJoin, "join").into(http.StatusCreated, nil)
	var batch batchCreatedAnswer
	r.twice("/api/v2/batches", `{"jobs": [`+srcJob+`, {}]}`, "batch").into(http.StatusCreated, &batch)
	if n := r.countJobs(); n != 3 {
		t.Errorf("there are %d jobs", n)
	}
	r.twice("/api/farm/v1/jobs/"+job.ID+"/release", "", "release one").into(http.StatusOK, nil)
	r.twice("/api/farm/v1/jobs/release", `{"jobs": ["`+job.ID+`"]}`, "release").into(http.StatusOK, nil)
	r.twice("/api/farm/v1/jobs/"+job.ID+"/hold", "", "hold one").into(http.StatusOK, nil)
	r.twice("/api/farm/v1/jobs/hold", `{"jobs": ["`+job.ID+`"]}`, "hold").into(http.StatusOK, nil)
	r.twice("/api/v2/batches/"+batch.BatchID+"/cancel", "", "cancel batch").into(http.StatusOK, nil)
	r.twice("/api/v2/jobs/cancel", `{"jobs": ["`+job.ID+`"]}`, "cancel").into(http.StatusOK, nil)
	r.twice("/api/v2/templates", `{"type": "aep", "displayName": "x"}`, "template").into(http.StatusCreated, nil)
	r.twice("/api/farm/v1/files", strings.Repeat("pixels", 100_000), "file").into(http.StatusCreated, nil)
	r.twice("/api/farm/v1/tokens", `{"name": "x", "role": "viewer"}`, "token").into(http.StatusCreated, nil)
	var templates, tokens []struct{}
	r.get("/api/v2/templates").into(http.StatusOK, &templates)
	r.get("/api/farm/v1/tokens").into(http.StatusOK, &tokens)
	if len(templates) != 1 || len(tokens) != 2 {
		t.Errorf("there are %d templates and %d tokens", len(templates), len(tokens))
	}
}

func TestNoPostTakesAKeyThatWasUsed(t *testing.T) {
	r := start(t)
	r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("k")).into(http.StatusCreated, nil)
	for _, address := range addresses() {
		if rule := rules[address]; strings.HasPrefix(address, "POST ") && address != "POST /api/v2/jobs" {
			r.try(address, rule, rule.recordOf(r, r.token), keyed("k")).refused(http.StatusConflict, "Idempotency-Key")
		}
	}
}

func TestAFormIsAnsweredTheSameAgain(t *testing.T) {
	r := start(t)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "a.png")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(bytes.Repeat([]byte("picture"), 50_000))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r.twice("/api/farm/v1/files", form.String(), "form", "Content-Type: "+w.FormDataContentType()).into(http.StatusCreated, nil)
}

// TestAFormIsTheSameUnderAnotherBoundary covers clients that choose one anew each time they send a form.
func TestAFormIsTheSameUnderAnotherBoundary(t *testing.T) {
	r := start(t)
	send := func(boundary, content string) reply {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		if err := w.SetBoundary(boundary); err != nil {
			t.Fatal(err)
		}
		part, err := w.CreateFormFile("file", "a.png")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write([]byte(content))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return r.send(http.MethodPost, "/api/farm/v1/files", form.Bytes(), keyed("k"), "Content-Type: "+w.FormDataContentType())
	}
	content := strings.Repeat("picture", 50_000)
	first, again := send("----one1", content), send("----two2", content)
	first.into(http.StatusCreated, nil)
	again.into(http.StatusCreated, nil)
	if !bytes.Equal(first.body, again.body) || again.header.Get("Idempotent-Replay") != "true" {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	send("----six6", content[1:]+"x").refused(http.StatusConflict, "Idempotency-Key")
}

func TestAnotherRequestUnderTheSameKeyIsRefused(t *testing.T) {
	r := start(t)
	r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("k")).into(http.StatusCreated, nil)
	for name, again := range map[string]func() reply{
		"another body": func() reply {
			return r.send(http.MethodPost, "/api/v2/jobs", strings.Replace(srcJob, "main", "other", 1), keyed("k"))
		},
		"a longer body": func() reply { return r.send(http.MethodPost, "/api/v2/jobs", srcJob+" ", keyed("k")) },
		"a longer stream": func() reply {
			return r.send(http.MethodPost, "/api/v2/jobs", io.MultiReader(strings.NewReader(srcJob+" ")), keyed("k"))
		},
		"a shorter body":   func() reply { return r.send(http.MethodPost, "/api/v2/jobs", srcJob[1:], keyed("k")) },
		"no body":          func() reply { return r.send(http.MethodPost, "/api/v2/jobs", nil, keyed("k")) },
		"another address":  func() reply { return r.send(http.MethodPost, "/api/v2/templates", srcJob, keyed("k")) },
		"other parameters": func() reply { return r.send(http.MethodPost, "/api/v2/jobs?a=1", srcJob, keyed("k")) },
		"something very long": func() reply {
			return r.send(http.MethodPost, "/api/farm/v1/files", strings.Repeat("x", 5<<20), keyed("k"))
		},
	} {
		t.Run(name, func(t *testing.T) { again().refused(http.StatusConflict, "Idempotency-Key") })
	}
	if n := r.countJobs(); n != 1 {
		t.Errorf("there are %d jobs", n)
	}
	stream := r.send(http.MethodPost, "/api/v2/jobs", io.MultiReader(strings.NewReader(srcJob)), keyed("k")).into(http.StatusCreated, nil)
	if stream.header.Get(replayed) != "true" {
		t.Error("the same request in chunks is not taken for the same")
	}
}

func TestKeysBelongToATeam(t *testing.T) {
	r := start(t)
	r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("k")).into(http.StatusCreated, nil)
	other := bearer(r.makeToken("artist", `, "team": "`+r.makeTeam("Trailers").ID+`"`).Secret)
	if a := r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("k"), other).into(http.StatusCreated, nil); a.header.Get(replayed) != "" {
		t.Error("another team got this team's answer")
	}
}

func TestKeysAreHeldToTheirForm(t *testing.T) {
	r := start(t)
	for _, key := range []string{strings.Repeat("k", 256), "schlüssel", "a\tb"} {
		r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed(key)).refused(http.StatusBadRequest, "Idempotency-Key")
	}
	r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed(strings.Repeat("~", 255))).into(http.StatusCreated, nil)
	r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("with spaces and \"quotes\"")).into(http.StatusCreated, nil)
	r.send(http.MethodPatch, "/api/v2/templates/"+unknownID, `{"displayName": "x"}`, keyed("PATCH has no use for it")).refused(http.StatusNotFound)
}

func TestWhatWasRefusedMayBeSentAgain(t *testing.T) {
	r := start(t)
	for range 2 {
		if a := r.send(http.MethodPost, "/api/v2/jobs", `{}`, keyed("k")).refused(http.StatusBadRequest, "template"); a.header.Get(replayed) != "" {
			t.Error("a refusal is kept")
		}
		r.send(http.MethodPost, "/api/v2/batches", `{"jobs": [{}]}`, keyed("k")).refused(http.StatusBadRequest, "jobs")
	}
	r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("k")).into(http.StatusCreated, nil)
}

func TestAnAnswerOutlivesWhatItTellsOf(t *testing.T) {
	r := start(t)
	var template struct{ ID string }
	r.send(http.MethodPost, "/api/v2/templates", `{"type": "aep", "displayName": "x"}`).into(http.StatusCreated, &template)
	job := `{"template": {"id": "` + template.ID + `", "composition": "main"}}`
	var made jobAnswer
	first := r.send(http.MethodPost, "/api/v2/jobs", job, keyed("k")).into(http.StatusCreated, &made)
	r.send(http.MethodPatch, "/api/v2/jobs/"+made.ID+"/cancel", nil).into(http.StatusOK, nil)
	r.send(http.MethodDelete, "/api/v2/templates/"+template.ID, nil).into(http.StatusNoContent, nil)
	if again := r.send(http.MethodPost, "/api/v2/jobs", job, keyed("k")); again.status != http.StatusCreated || !bytes.Equal(again.body, first.body) {
		t.Errorf("got %d %s", again.status, again.body)
	}
}

func TestManyAtOnceAreCarriedOutOnce(t *testing.T) {
	r := start(t)
	answers := make([]reply, 16)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("k")) })
	}
	all.Wait()
	fresh := 0
	for _, a := range answers {
		if a.status != http.StatusCreated || !bytes.Equal(a.body, answers[0].body) {
			t.Errorf("got %d %s, want %s", a.status, a.body, answers[0].body)
		}
		if a.header.Get(replayed) == "" {
			fresh++
		}
	}
	if n := r.countJobs(); n != 1 || fresh != 1 {
		t.Errorf("there are %d jobs, and %d answers that were not repeated", n, fresh)
	}
}

func TestAReaderOfTheStateLearnsNothingOfAToken(t *testing.T) {
	r := start(t)
	var made tokenAnswer
	r.send(http.MethodPost, "/api/farm/v1/tokens", `{"name": "x", "role": "viewer"}`, keyed("k")).into(http.StatusCreated, &made)
	if made.Secret == "" {
		t.Fatal("the answer shows no secret")
	}
	err := filepath.WalkDir(r.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreGone(err)
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(made.Secret)) {
			t.Errorf("%s holds the token's secret", path)
		}
		return ignoreGone(err)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// interrupted carries a request out as far as the farm gets when it is interrupted before it has answered.
func (r *rig) interrupted(key, path, body string, do func(p farm.Principal, request *state.Request) error) {
	r.t.Helper()
	p, err := r.farm.Authenticate(r.t.Context(), r.token)
	if err != nil {
		r.t.Fatal(err)
	}
	request, err := r.farm.Requests().Begin(r.t.Context(), p, key, func(int64) (string, int64, error) {
		sum := r.farm.Requests().NewHash()
		fmt.Fprintf(sum, "POST\n%s\n\n%s", path, body)
		return state.HashText(sum), int64(len(body)), nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	defer request.End()
	if err := do(p, request); err != nil {
		r.t.Fatal(err)
	}
}

func TestWhatWasInterruptedIsAnsweredFromWhatItMade(t *testing.T) {
	r := start(t)
	var jobID, batchID, templateID string
	r.interrupted("job", "/api/v2/jobs", srcJob, func(p farm.Principal, request *state.Request) error {
		job, err := r.farm.Submit(state.WithRequest(t.Context(), request), p, farm.Job{
			Template: farm.JobTemplate{Src: "https://files.example/title.aep"}, Assets: []farm.Asset{{Type: "job", LayerName: "x", Nested: &farm.Job{Template: farm.JobTemplate{Src: "https://files.example/x.aep"}}}},
		})
		jobID = job.ID
		return err
	})
	const two = `{"jobs": [` + srcJob + `, {"template": {"id": "01NONE"}}, {}]}`
	r.interrupted("batch", "/api/v2/batches", two, func(p farm.Principal, request *state.Request) error {
		entry := submission.BatchEntry{Job: farm.Job{Template: farm.JobTemplate{Src: "https://files.example/title.aep"}}}
		unknown := submission.BatchEntry{Job: farm.Job{Template: farm.JobTemplate{ID: "01NONE"}}}
		result, err := r.farm.SubmitBatch(state.WithRequest(t.Context(), request), p, []submission.BatchEntry{entry, unknown, unknown})
		batchID = result.Batch.ID
		return err
	})
	var src string
	r.interrupted("file", "/api/farm/v1/files", "pixels", func(p farm.Principal, request *state.Request) error {
		stored, err := r.farm.StoredFiles().Put(state.WithRequest(t.Context(), request), p, "file", strings.NewReader("pixels"), 6)
		src = stored.Src()
		return err
	})
	const template = `{"type": "aep", "displayName": "x"}`
	r.interrupted("template", "/api/v2/templates", template, func(p farm.Principal, request *state.Request) error {
		made, err := r.farm.Templates().Create(state.WithRequest(t.Context(), request), p, templates.New{Type: "aep", DisplayName: "x"})
		templateID = made.ID
		return err
	})

	r.send(http.MethodPost, "/api/v2/jobs", strings.Replace(srcJob, "main", "other", 1), keyed("job")).refused(http.StatusConflict, "another request")
	var job struct {
		ID, Status string
		Children   []struct{ ID string }
	}
	first := r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("job")).into(http.StatusCreated, &job)
	if job.ID != jobID || job.Status != "pending" || len(job.Children) != 1 || first.header.Get(replayed) != "true" {
		t.Errorf("the job is answered as %s", first.body)
	}
	if again := r.send(http.MethodPost, "/api/v2/jobs", srcJob, keyed("job")); !bytes.Equal(again.body, first.body) {
		t.Errorf("the answer that was made again is not kept: %s, then %s", first.body, again.body)
	}
	r.send(http.MethodPost, "/api/farm/v1/files", "pixel!", keyed("file")).refused(http.StatusConflict, "another request")
	r.send(http.MethodPost, "/api/farm/v1/files", "pixels", keyed("file")).into(http.StatusCreated, nil).refused(http.StatusCreated, src)
	var batch batchCreatedAnswer
	r.send(http.MethodPost, "/api/v2/batches", two, keyed("batch")).into(http.StatusCreated, &batch)
	if batch.BatchID != batchID || len(batch.Jobs) != 1 || len(batch.Errors) != 2 || batch.TotalJobs != 3 {
		t.Errorf("the batch is answered as %+v", batch)
	}
	var made struct {
		ID         string
		UploadInfo struct{ URL string }
	}
	r.send(http.MethodPost, "/api/v2/templates", template, keyed("template")).into(http.StatusCreated, &made)
	if made.ID != templateID || made.UploadInfo.URL == "" {
		t.Errorf("the template is answered as %+v", made)
	}
	if n := r.countJobs(); n != 3 {
		t.Errorf("there are %d jobs", n)
	}
}

func TestASecretThatWasNeverShownCannotBeShownAgain(t *testing.T) {
	r := start(t)
	const body = `{"name": "x", "role": "viewer"}`
	r.interrupted("token", "/api/farm/v1/tokens", body, func(p farm.Principal, request *state.Request) error {
		_, _, err := r.farm.MakeToken(state.WithRequest(t.Context(), request), p, people.NewToken{Name: "x", Role: farm.RoleViewer})
		return err
	})
	for range 2 {
		r.send(http.MethodPost, "/api/farm/v1/tokens", body, keyed("token")).refused(http.StatusConflict, "was carried out", "new key")
	}
	var tokens []struct{}
	r.get("/api/farm/v1/tokens").into(http.StatusOK, &tokens)
	if len(tokens) != 2 {
		t.Errorf("there are %d tokens", len(tokens))
	}
}
