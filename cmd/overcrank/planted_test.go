//go:build linux

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"overcrank/cmd/overcrank/titlecard"
)

// planted is a value and all the forms in which a careless program might have written it down.
type planted struct {
	what  string
	forms [][]byte
}

func plant(value string) planted {
	p := planted{what: value}
	add := func(form string) { p.forms = append(p.forms, []byte(form)) }
	add(value)
	add(url.QueryEscape(value))
	add(url.PathEscape(value))
	add(hex.EncodeToString([]byte(value)))
	add(strings.ToUpper(hex.EncodeToString([]byte(value))))
	for shift := range 3 { // base64 of a text that holds the value
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), value...))
		add(text[4 : len(text)-3])
	}
	return p
}

// in tells where a text holds the value in one of its forms, also within what is compressed there.
func (p planted) in(text []byte) string {
	for _, form := range p.forms {
		if at := bytes.Index(text, form); at >= 0 {
			return fmt.Sprintf("as %q at byte %d", form, at)
		}
	}
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	for at := bytes.Index(text, magic); at >= 0; {
		plain, _ := unpack(text[at:])
		for _, form := range p.forms {
			if bytes.Contains(plain, form) {
				return fmt.Sprintf("as %q in what is compressed at byte %d", form, at)
			}
		}
		next := bytes.Index(text[at+4:], magic)
		if next < 0 {
			break
		}
		at += 4 + next
	}
	return ""
}

// unpack decompresses one frame at the beginning of b, as far as it goes.
func unpack(b []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, 8<<20))
}

// files names the files below dir that hold the value.
func (p planted) files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if where := p.in([]byte(path)); where != "" {
			found = append(found, path+" in its name")
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if where := p.in(text); where != "" {
			found = append(found, path+" "+where)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// watchProcesses looks at the arguments and environments of all processes that it may, until stop, which tells which of
// them held the value and how many it looked at.
func (p planted) watchProcesses() (stop func() (held []string, looked int)) {
	quit, done := make(chan struct{}), make(chan struct{})
	var held []string
	looked := 0
	go func() {
		defer close(done)
		for {
			paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, path := range paths {
				for _, file := range []string{path, filepath.Join(filepath.Dir(path), "environ")} {
					text, err := os.ReadFile(file)
					if err != nil {
						continue // it has ended, or is another user's
					}
					looked++
					for _, form := range p.forms {
						if bytes.Contains(text, form) {
							held = append(held, file)
						}
					}
				}
			}
			select {
			case <-quit:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() ([]string, int) {
		close(quit)
		<-done
		return held, looked
	}
}

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
	const value, control = "pl4nt3d/V4lue+of the+s3cret", "a text that is no secret"
	secret := plant(value)
	dir := t.TempDir()
	f := startUp(t, dir)
	v := newVault(t, value)
	if _, err := f.SetSecret(t.Context(), "TOKEN", value); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SetSecret(t.Context(), "TOKEN", value); err == nil {
		t.Error("the same name was taken twice")
	}
	template := f.card()
	stop := secret.watchProcesses()
	hook := map[string]any{"url": v.URL + "/hook?k=${secrets.TOKEN}", "headers": map[string]string{"X-Key": "Bearer ${secrets.TOKEN}"}, "data": map[string]string{"k": "${secrets.TOKEN}"}}
	said := `$.writeln("it is " + parameters.k); $.writeln(encodeURIComponent(parameters.k)); $.writeln("cut " + parameters.k.substr(0, 15)); alert(parameters.k);`
	submit := func(assets ...map[string]any) string {
		t.Helper()
		job, err := f.Submit(t.Context(), map[string]any{
			"template": map[string]string{"id": template, "composition": titlecard.Composition}, "assets": assets, "webhook": hook,
			"settings": map[string]any{"type": "image", "frames": 60},
		})
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	long := map[string]any{"type": "text", "layerName": titlecard.SubtitleLayer, "value": control + strings.Repeat(" ", 8<<10)} // is compressed where it is kept
	good := submit(long,
		map[string]any{"type": "text", "layerName": titlecard.TitleLayer, "value": "Key: ${secrets.TOKEN}"},
		map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": v.URL + "/picture?token=${secrets.TOKEN}"},
		map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": v.URL + "/path/${secrets.TOKEN}"},
		map[string]any{"type": "script", "src": "data:text/javascript," + url.PathEscape(said), "parameters": []map[string]any{{"key": "k", "value": "${secrets.TOKEN}"}}},
		map[string]any{"type": "data", "layerName": titlecard.TitleLayer, "property": "Opacity", "expression": "'${secrets.TOKEN}'.length"},
	)
	bad := []string{
		submit(map[string]any{"type": "text", "layerName": "${secrets.TOKEN}", "value": "x"}),
		submit(map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": v.URL + "/none?x=1&token=${secrets.TOKEN}"}),
		submit(map[string]any{"type": "script", "src": "data:text/javascript,throw%20new%20Error(parameters.k)", "parameters": []map[string]any{{"key": "k", "value": "${secrets.TOKEN}"}}}),
		submit(map[string]any{"type": "data", "layerName": titlecard.TitleLayer, "property": "Opacity", "expression": "${secrets.TOKEN}"}),
		submit(map[string]any{"type": "static", "name": "s.txt", "src": "${secrets.TOKEN}"}),
	}
	f.finished(good)
	for i, id := range bad {
		if job := f.ended(id); job.Status != "error" {
			t.Errorf("bad job %d is %s", i, job.Status)
		}
	}
	for _, what := range []string{"query", "path", "webhook"} {
		f.await("the value to have been used in the "+what, func() bool { return v.has(what) })
	}
	if held, looked := stop(); len(held) > 0 || looked == 0 {
		t.Errorf("%d arguments and environments were looked at; the value is in %v", looked, held)
	}

	for _, id := range append(bad, good) {
		job := f.ended(id)
		for what, text := range map[string]string{"error": why(job), "log": f.log(id), "warnings": strings.Join(job.Warnings, "\n")} {
			if where := secret.in([]byte(text)); where != "" {
				t.Errorf("the %s of job %s holds the value %s:\n%s", what, id, where, text)
			}
		}
	}
	if log := f.log(good); !strings.Contains(log, "it is [redacted]") || !strings.Contains(log, "cut [redacted]") {
		t.Errorf("the script said nothing, or too little:\n%s", log)
	}
	for _, path := range []string{
		"/api/v2/jobs", "/api/v2/jobs/" + good, "/api/v2/secrets", "/api/v2/templates", "/api/v3/templates", "/api/farm/v1/machines",
		"/api/farm/v1/jobs/" + good + "/delivery", "/api/farm/v1/jobs/" + good + "/why",
	} {
		answer := f.answer(path)
		if where := secret.in(answer); where != "" {
			t.Errorf("%s answers the value %s", path, where)
		}
		if strings.HasPrefix(path, "/api/v2/jobs/") && !bytes.Contains(answer, []byte("${secrets.TOKEN}")) {
			t.Errorf("%s lost the references: %s", path, answer)
		}
	}
	// While the farm still runs, and when it has stopped and written what it writes then.
	while := secret.files(t, dir)
	f.stop()
	for _, found := range append(while, secret.files(t, dir)...) {
		t.Errorf("the value is in %s", found)
	}
	if where := secret.in([]byte(f.said.String())); where != "" {
		t.Errorf("the farm said the value %s", where)
	}
	// The search finds what is there: the other text stands in the log of Raft, compressed, and in the state.
	var raft, state bool
	for _, found := range plant(control).files(t, dir) {
		raft = raft || strings.Contains(found, "raft.db") && strings.Contains(found, "compressed")
		state = state || strings.Contains(found, "state.db")
	}
	if !raft || !state {
		t.Errorf("the search does not find what is no secret: in raft.db %v, in state.db %v", raft, state)
	}
}

// answer is what an address of the interface answers.
func (f *runningFarm) answer(path string) []byte {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, f.Server+path, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+f.Token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return text
}
