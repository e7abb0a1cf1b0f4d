//go:build linux

package trouble_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
)

// post sends a job under a key, and gives the job's id, "" when no good answer came.
func post(f *farmtest.Farm, key string) (id string, replayed bool, err error) {
	req, err := http.NewRequestWithContext(f.T.Context(), http.MethodPost, f.Server+"/api/v2/jobs",
		strings.NewReader(`{"template": {"src": "https://files.invalid/title.aep", "composition": "main"}, "name": "`+key+`"}`))
	if err != nil {
		return "", false, err
	}
	req.Header.Set("Authorization", "Bearer "+f.Token)
	req.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", false, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return "", false, err
	}
	var job struct{ ID string }
	if res.StatusCode != http.StatusCreated || json.Unmarshal(text, &job) != nil {
		return "", false, fmt.Errorf("%d %s", res.StatusCode, text)
	}
	return job.ID, res.Header.Get("Idempotent-Replay") != "", nil
}

// TestNoJobIsMadeTwiceHoweverOftenTheFarmIsKilled sends jobs under keys while the farm is killed, and sends all of them again.
func TestNoJobIsMadeTwiceHoweverOftenTheFarmIsKilled(t *testing.T) {
	t.Parallel()
	const each = 40
	dir := t.TempDir()
	known, unanswered, remade := map[string]string{}, 0, 0
	for round := range 4 {
		f := farmtest.LaunchAs(t, "coordinator", dir)
		f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
		ids := make([]string, each)
		var sending sync.WaitGroup
		answers := make(chan struct{}, each)
		for i := range each {
			sending.Go(func() {
				ids[i], _, _ = post(f, fmt.Sprintf("%d-%d", round, i))
				answers <- struct{}{}
			})
		}
		for range 1 + 9*round { // in the midst of the others
			<-answers
		}
		_ = f.Cmd.Process.Kill()
		<-f.Done
		sending.Wait()

		f = farmtest.LaunchAs(t, "coordinator", dir)
		f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
		for i, before := range ids {
			key := fmt.Sprintf("%d-%d", round, i)
			id, replayed, err := post(f, key)
			switch {
			case err != nil:
				t.Fatalf("%s: %v", key, err)
			case before != "" && (id != before || !replayed):
				t.Errorf("%s was answered with job %s, and after the kill with %s", key, before, id)
			case before == "":
				unanswered++
			}
			if before == "" && replayed {
				remade++
			}
			known[key] = id
		}
		f.Stop()
	}
	f := farmtest.LaunchAs(t, "coordinator", dir)
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	jobs, err := f.Jobs(t.Context(), map[string][]string{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(jobs.Items) != len(known) {
		t.Errorf("%d jobs were sent, and there are %d", len(known), len(jobs.Items))
	}
	for _, job := range jobs.Items {
		if known[job.Name] != job.ID {
			t.Errorf("job %s is %s, and its key was answered with %s", job.Name, job.ID, known[job.Name])
		}
	}
	t.Logf("%d requests, %d without an answer before the kill, %d of these had been carried out", len(known), unanswered, remade)
}
