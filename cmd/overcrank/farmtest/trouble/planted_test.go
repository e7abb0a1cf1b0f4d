//go:build linux

package trouble_test

import (
	"bytes"
	"fmt"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/minio/minio-go/v7"

	"overcrank/agent/upload/s3test"
	"overcrank/cmd/overcrank/titlecard"
)

// vault is a server that asks for the value in various places, and notes where it got it.
type vault struct {
	*httptest.Server
	mu  sync.Mutex
	got map[string]bool
}

func newVault(t *testing.T, value string) *vault {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, titlecard.Picture(titlecard.Night)); err != nil {
		t.Fatal(err)
	}
	v := &vault{got: map[string]bool{}}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note := func(what string) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.got[what] = true
		}
		switch {
		case strings.HasPrefix(r.URL.Path, "/picture") && r.URL.Query().Get("token") == value:
			note("query")
			_, _ = w.Write(picture.Bytes())
		case strings.HasPrefix(r.URL.Path, "/path/") && strings.Contains(r.URL.Path, value):
			note("path")
			_, _ = w.Write(picture.Bytes())
		case r.URL.Path == "/hook" && r.Header.Get("X-Key") == "Bearer "+value && r.URL.Query().Get("k") == value:
			note("webhook")
		default:
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	t.Cleanup(v.Close)
	return v
}

func (v *vault) has(what string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.got[what]
}

// TestNothingThatTheFarmWritesHoldsASecret has jobs use a value in every place where it may stand, has it said aloud by
// scripts, errors and refusals, and then searches every byte that the farm wrote.
func TestNothingThatTheFarmWritesHoldsASecret(t *testing.T) {
	t.Parallel()
	const value, harmless = "pl4nt3d/V4lue+of the+s3cret", "a text that is not a secret"
	secret := plant(value, s3test.Secret)
	store := s3test.Start(t, "results")
	dir := t.TempDir()
	f := farmtest.Up(t, dir)
	v := newVault(t, value)
	if _, err := f.SetSecret(t.Context(), "TOKEN", value, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SetSecret(t.Context(), "TOKEN", value, nil); err == nil {
		t.Error("the same name was taken twice")
	}
	if _, err := f.SetSecret(t.Context(), "S3", s3test.Secret, nil); err != nil {
		t.Fatal(err)
	}
	template := f.Card()
	stop := secret.watchProcesses()
	hook := map[string]any{"url": v.URL + "/hook?k=${secrets.TOKEN}", "headers": map[string]string{"X-Key": "Bearer ${secrets.TOKEN}"}, "data": map[string]string{"k": "${secrets.TOKEN}"}}
	said := `$.writeln("it is " + parameters.k); $.writeln(encodeURIComponent(parameters.k)); $.writeln("cut " + parameters.k.substr(0, 15)); alert(parameters.k);`
	submitTo := func(upload map[string]any, assets ...map[string]any) string {
		t.Helper()
		job, err := f.Submit(t.Context(), map[string]any{
			"upload":   upload,
			"template": map[string]string{"id": template, "composition": titlecard.Composition}, "assets": assets, "webhook": hook,
			"settings": map[string]any{"type": "image", "frames": 60},
		})
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	submit := func(assets ...map[string]any) string { return submitTo(nil, assets...) }
	toStore := map[string]any{"provider": "s3", "prefix": "${secrets.TOKEN}/", "params": map[string]string{
		"endpoint": "http://" + store.Address, "region": s3test.Region, "bucket": "results", "accessKeyId": s3test.KeyID, "accessKeySecret": "${secrets.S3}",
	}}
	long := map[string]any{"type": "text", "layerName": titlecard.SubtitleLayer, "value": harmless + strings.Repeat(" ", 8<<10)} // is compressed where it is kept
	good := submit(long,
		map[string]any{"type": "text", "layerName": titlecard.TitleLayer, "value": "Key: ${secrets.TOKEN}"},
		map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": v.URL + "/picture?token=${secrets.TOKEN}"},
		map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": v.URL + "/path/${secrets.TOKEN}"},
		map[string]any{"type": "script", "src": "data:text/javascript," + url.PathEscape(said), "parameters": []map[string]any{{"key": "k", "value": "${secrets.TOKEN}"}}},
		map[string]any{"type": "data", "layerName": titlecard.TitleLayer, "property": "Opacity", "expression": "'${secrets.TOKEN}'.length"},
	)
	uploaded := submitTo(toStore, map[string]any{"type": "text", "layerName": titlecard.TitleLayer, "value": "x"})
	toNobody := maps.Clone(toStore)
	toNobody["params"] = map[string]string{
		"endpoint": "http://" + store.Address, "region": s3test.Region, "bucket": "nowhere", "accessKeyId": s3test.KeyID, "accessKeySecret": "${secrets.TOKEN}",
	}
	bad := []string{
		submitTo(toNobody, map[string]any{"type": "text", "layerName": titlecard.TitleLayer, "value": "x"}),
		submit(map[string]any{"type": "text", "layerName": "${secrets.TOKEN}", "value": "x"}),
		submit(map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": v.URL + "/none?x=1&token=${secrets.TOKEN}"}),
		submit(map[string]any{"type": "script", "src": "data:text/javascript,throw%20new%20Error(parameters.k)", "parameters": []map[string]any{{"key": "k", "value": "${secrets.TOKEN}"}}}),
		submit(map[string]any{"type": "data", "layerName": titlecard.TitleLayer, "property": "Opacity", "expression": "${secrets.TOKEN}"}),
		submit(map[string]any{"type": "static", "name": "s.txt", "src": "${secrets.TOKEN}"}),
	}
	f.Finished(good)
	f.Finished(uploaded)
	found := false
	for object := range store.Client.ListObjects(t.Context(), "results", minio.ListObjectsOptions{Prefix: value, Recursive: true}) {
		found = found || object.Err == nil && strings.Contains(object.Key, uploaded)
	}
	if !found {
		t.Error("the result is not where the upload's prefix says")
	}
	for i, id := range bad {
		if job := f.Ended(id); job.Status != "error" {
			t.Errorf("bad job %d is %s", i, job.Status)
		}
	}
	for _, what := range []string{"query", "path", "webhook"} {
		f.Await("the value to have been used in the "+what, func() bool { return v.has(what) })
	}
	if held, looked := stop(); len(held) > 0 || looked == 0 {
		t.Errorf("%d arguments and environments were looked at; the value is in %v", looked, held)
	}

	for _, id := range append(bad, good, uploaded) {
		job := f.Ended(id)
		for what, text := range map[string]string{"error": job.Stats.Error, "log": f.LogOf(id), "warnings": strings.Join(job.Warnings, "\n")} {
			if where := secret.in([]byte(text)); where != "" {
				t.Errorf("the %s of job %s holds the value %s:\n%s", what, id, where, text)
			}
		}
	}
	if log := f.LogOf(good); !strings.Contains(log, "it is [redacted]") || !strings.Contains(log, "cut [redacted]") {
		t.Errorf("the script said nothing, or too little:\n%s", log)
	}
	for _, path := range []string{
		"/api/v2/jobs", "/api/v2/jobs/" + good, "/api/v2/jobs/" + uploaded, "/api/v2/secrets", "/api/v2/templates", "/api/v3/templates", "/api/farm/v1/agents",
		"/api/farm/v1/jobs/" + good + "/delivery", "/api/farm/v1/jobs/" + good + "/why",
	} {
		answer := f.Answer(path)
		if where := secret.in(answer); where != "" {
			t.Errorf("%s answers the value %s", path, where)
		}
		if strings.HasSuffix(path, good) && !bytes.Contains(answer, []byte("${secrets.TOKEN}")) {
			t.Errorf("%s lost the references: %s", path, answer)
		}
	}
	// While the farm still runs, and when it has stopped and written what it writes then.
	while := secret.files(t, dir)
	f.Stop()
	for _, found := range slices.Concat(while, secret.files(t, dir), secret.databases(t, dir)) {
		t.Errorf("the value is in %s", found)
	}
	if where := secret.in([]byte(f.Said.String())); where != "" {
		t.Errorf("the farm said the value %s", where)
	}
	// The search finds what is there: the other text stands in the log of Raft and in the state, packed in both.
	control := strings.Join(plant(harmless).databases(t, dir), "\n")
	if !strings.Contains(control, "entry ") || !strings.Contains(control, "state.db") {
		t.Errorf("the search finds what is no secret only in %q", control)
	}
	var words strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&words, "%d words of %d ", i*i*i, i*7919)
	}
	words.WriteString(harmless)
	if at := plant(harmless).in(slices.Concat([]byte("before"), zstdOf(t, []byte(words.String())), []byte("behind"))); !strings.Contains(at, "compressed") {
		t.Errorf("the search finds nothing in what is compressed: %q", at)
	}
}
