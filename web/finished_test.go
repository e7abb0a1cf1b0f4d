package web_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/reviews"
	"overcrank/coordinator/storage"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// made is a finished job of a farm that begins with it.
type made struct {
	farm.Job
	result []byte
}

// madeID is the id of the job at a place in the list that a farm begins with.
func madeID(i int) string { return fmt.Sprintf("01JD70000000000000000002%02d", i) }

const (
	madeBatch = "01JD7000000000000000000300"
	madeBy    = "01JD7000000000000000000090" // the machine
)

// withResults is a farm with finished jobs, which are one batch.
func withResults(t *testing.T, jobs ...made) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	r.people()
	store, err := raftstore.Open(t.Context(), raftstore.Config{Dir: filepath.Join(r.dir, "state"), MinFree: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r.apply(store, command.SetLevel{Level: command.NewestLevel, Version: "v"})
	r.apply(store, command.EnrolAgent{Agent: farm.Agent{ID: madeBy, Name: "suite-1", SecretHash: "none", EnrolledAt: at}})
	batch := farm.Batch{ID: madeBatch, Team: staff[0].Team, CreatedAt: at, Total: len(jobs)}
	var heads []farm.Job
	var tasks []farm.Task
	for i, m := range jobs {
		id := madeID(i)
		job := m.Job
		job.ID, job.Team, job.SubmittedBy, job.CreatedAt, job.UpdatedAt, job.Batch = id, staff[0].Team, "art", at, at, batch.ID
		job.OutputName = id + "-x" + job.OutputName
		job.Template = farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}
		heads = append(heads, job)
		tasks = append(tasks, farm.Task{ID: id + ".0", Job: id, Team: job.Team, Kind: farm.TaskRender})
		batch.Jobs = append(batch.Jobs, farm.BatchJob{Index: i, ID: id})
	}
	r.apply(store, command.SubmitJobs{Jobs: heads, Tasks: tasks, Batch: &batch})
	for i, m := range jobs {
		if m.result != nil {
			r.finish(store, heads[i], m.result, at)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	stop := r.serve("127.0.0.1:0")
	t.Cleanup(func() { stop() })
	return r
}

// finish ends a job with a result.
func (r *rig) finish(store *raftstore.Store, job farm.Job, result []byte, at time.Time) {
	r.t.Helper()
	sum := sha256.Sum256(result)
	out := farm.OutputRef{FileRef: farm.FileRef{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(result)), Name: "result"}, Frames: 50, FrameRate: 25}
	if job.Settings.Type == "image" { // as agents describe sequences
		out.Frames, out.FrameRate = 0, 0
	}
	r.apply(store, command.LeaseTasks{Grants: []command.Grant{{Task: job.ID + ".0", Attempt: 1, Agent: madeBy}}, At: at})
	r.apply(store, command.FinishTask{Task: job.ID + ".0", Attempt: 1, Output: out, At: at.Add(time.Minute)})
	path := filepath.Join(r.dir, storage.Folder, files.Outputs, job.OutputName)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, result, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// stills is a sequence as agents pack it.
func stills(t *testing.T, numbers ...int) []byte {
	t.Helper()
	return stillsOf(t, "picture", numbers...)
}

// stillsOf is stills whose pictures are other ones.
func stillsOf(t *testing.T, words string, numbers ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, n := range numbers {
		w, err := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("frame_%05d.png", n), Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, words, " ", n)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entries are the names in a zip with what they hold.
func (a answer) entries() map[string]string {
	a.t.Helper()
	z, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	if err != nil {
		a.t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			a.t.Fatal(err)
		}
		body, err := io.ReadAll(in)
		if err != nil {
			a.t.Fatalf("%s: %v", f.Name, err)
		}
		found[f.Name] = string(body)
	}
	return found
}

// called holds an answer to the name that it is saved under.
func (a answer) called(plain, extended string) {
	a.t.Helper()
	want := `attachment; filename="` + plain + `"`
	if extended != "" {
		want += "; filename*=UTF-8''" + extended
	}
	if got := a.header.Get("Content-Disposition"); got != want {
		a.t.Errorf("%s is called %s, want %s", a.path, got, want)
	}
}

func text(layer, value string) farm.Asset {
	raw, _ := json.Marshal(value)
	return farm.Asset{Type: "text", LayerName: layer, Value: raw}
}

func TestWhatIsDownloadedHasANameOfPeople(t *testing.T) {
	sequence := farm.Settings{Type: "image", Frames: &farm.Frames{Start: 7, End: 8}}
	r := withResults(t,
		made{farm.Job{Name: "Spring: Größe 1/2", OutputName: ".mp4"}, []byte("film")},
		made{farm.Job{Name: "Spring", TakeOf: madeID(0), OutputName: ".mp4"}, []byte("again")},
		made{farm.Job{Name: "con", Settings: sequence, OutputName: ".zip"}, stills(t, 7, 8)},
		made{farm.Job{OutputName: ".mov"}, []byte("prores")},
	)
	v := r.as("vic")
	first := v.get("/jobs/"+madeID(0)+"/download").is(http.StatusOK, "film")
	first.called("Spring_ Gro_e 1_2.mp4", "Spring_%20Gr%C3%B6%C3%9Fe%201_2.mp4")
	v.get("/jobs/"+madeID(1)+"/download").is(http.StatusOK, "again").called("Spring take 2.mp4", "")
	v.get("/jobs/"+madeID(3)+"/download").is(http.StatusOK, "prores").called("main.mov", "")
	zipped := v.get("/jobs/" + madeID(2) + "/download").is(http.StatusOK)
	zipped.called("_con.zip", "")
	if got := zipped.entries(); len(got) != 2 || got["_con/_con_00007.png"] != "picture 7" || got["_con/_con_00008.png"] != "picture 8" {
		t.Errorf("the sequence holds %v", got)
	}
	v.ask(http.MethodHead, "/jobs/"+madeID(2)+"/download").called("_con.zip", "")
	v.get("/jobs/"+madeID(0)).is(http.StatusOK, `href="/jobs/`+madeID(0)+`/download" download>Download`)
	r.as("zoe").get("/jobs/" + madeID(0) + "/download").is(http.StatusNotFound)
	// The address of the interface stays, and what it gives.
	v.get("/outputs/"+madeID(0)+"-x.mp4").is(http.StatusOK, "film")
}

// proxyOf puts the small film of a result where agents have it kept.
func (r *rig) proxyOf(job, film string) {
	r.t.Helper()
	path := filepath.Join(r.dir, storage.Folder, files.Proxies, job+".mp4")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(film), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func TestWhatBrowsersDoNotPlayIsShownByItsProxy(t *testing.T) {
	r := withResults(t,
		made{farm.Job{Name: "Pro", OutputName: ".mov"}, []byte("prores")},
		made{farm.Job{Name: "Frames", OutputName: ".zip", Settings: farm.Settings{Type: "image", Frames: &farm.Frames{Start: 3, End: 14}}}, stills(t, 3)},
		made{farm.Job{Name: "Older", OutputName: ".mov"}, []byte("without")},
	)
	r.proxyOf(madeID(0), "small film")
	r.proxyOf(madeID(1), "small frames")
	v := r.as("vic")
	v.get("/jobs/"+madeID(0)).is(http.StatusOK, `/jobs/`+madeID(0)+`/proxy`, "Download has the ProRes film")
	v.get("/jobs/"+madeID(1)).is(http.StatusOK, `/jobs/`+madeID(1)+`/proxy`, "Download has the frames")
	v.get("/jobs/"+madeID(2)).is(http.StatusOK).lacks("/proxy", "<video")
	v.get("/jobs/" + madeID(2) + "/proxy").is(http.StatusNotFound)
	small := v.get("/jobs/"+madeID(0)+"/proxy").is(http.StatusOK, "small film")
	if kind := small.header.Get("Content-Type"); kind != "video/mp4" {
		t.Errorf("the proxy is %s", kind)
	}
	v.get("/jobs/"+madeID(1)+"/review").is(http.StatusOK, `&#34;kind&#34;:&#34;film&#34;`, `/jobs/`+madeID(1)+`/proxy`, `&#34;total&#34;:12`)
	r.as("zoe").get("/jobs/" + madeID(0) + "/proxy").is(http.StatusNotFound)

	_, address, err := r.farm.Reviews().Create(t.Context(), r.principal("pro"), reviews.NewLink{Job: madeID(0), Until: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	guest, path := r.visit(), strings.TrimPrefix(address, r.base)
	guest.get(path).is(http.StatusOK, path+"/film/"+madeID(0))
	guest.get(path+"/film/"+madeID(0)).is(http.StatusOK, "small film")
	guest.get(path + "/download/" + madeID(0)).is(http.StatusForbidden)
	_, address, err = r.farm.Reviews().Create(t.Context(), r.principal("pro"), reviews.NewLink{Job: madeID(0), Download: true, Until: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	guest.get(strings.TrimPrefix(address, r.base)+"/download/"+madeID(0)).is(http.StatusOK, "prores").called("Pro.mov", "")
}

func TestAJobsPageHasItsPlayerAndItsTimeline(t *testing.T) {
	r := withResults(t,
		made{farm.Job{Name: "Spot", OutputName: ".mp4"}, []byte("film")},
		made{farm.Job{Name: "Spot", TakeOf: madeID(0), OutputName: ".mp4"}, []byte("again")},
		made{farm.Job{Name: "waits", OutputName: ".mp4"}, nil},
	)
	v := r.as("vic")
	// The player can compare with the other take, which it gets from where members of the team do.
	v.get("/jobs/"+madeID(0)).is(http.StatusOK, `id="viewer"`, "/static/jobplayer.js", `&#34;src&#34;:&#34;/outputs/`+madeID(0)+`-x.mp4&#34;`, `&#34;src&#34;:&#34;/outputs/`+madeID(1)+`-x.mp4&#34;`,
		"Compare with", "1 attempt on 1 machine in 1\u00a0min", "suite-1", "The whole film, attempt 1: Done, 1\u00a0min")
	v.get("/jobs/"+madeID(2)).is(http.StatusOK).lacks(`id="viewer"`, "Timeline as a table")
	line := v.live("job:" + madeID(0))
	line.shows("timeline", "Timeline as a table")
}

// logOf puts a log where the farm keeps it.
func (r *rig) logOf(job, log string) {
	r.t.Helper()
	path := filepath.Join(r.dir, storage.Folder, files.Logs, job+".log")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// lines is an answer about a log.
func (a answer) lines() (found struct {
	Hits, Lines []struct {
		At          int64
		Text, Class string
	}
	From, Next, Size int64
	More             bool
}) {
	a.t.Helper()
	if err := json.Unmarshal([]byte(a.is(http.StatusOK).body), &found); err != nil {
		a.t.Fatal(err)
	}
	return found
}

func TestALogIsFoldedByPhaseAndSearchedInParts(t *testing.T) {
	r := withResults(t, made{farm.Job{Name: "Spot", OutputName: ".mp4"}, []byte("film")})
	var log strings.Builder
	log.WriteString("agent: attempt 1 on suite-1\nagent: fetching the project, 3 KiB\nagent: composition 'main'\n")
	for log.Len() < 20<<20 { // more than one request searches
		fmt.Fprintf(&log, "PROGRESS: frame %d of many, %s\n", log.Len(), strings.Repeat("x", 400))
	}
	needle := int64(log.Len())
	log.WriteString("WARNING: the Needle was <lost>\nagent: uploading 3 KiB\n")
	r.logOf(madeID(0), log.String())
	v, path := r.as("vic"), "/jobs/"+madeID(0)
	page := v.get(path).is(http.StatusOK)
	for _, w := range []string{"<b>Render</b>", "<b>Upload</b>", `<span class="warn">WARNING: the Needle was &lt;lost&gt;`, "/static/joblog.js"} {
		if !strings.Contains(page.body, w) {
			t.Errorf("the page does not say %q", w)
		}
	}
	if len(page.body) > 1<<20 {
		t.Errorf("the page has %d bytes: it holds more than the log's end", len(page.body))
	}
	from, asked := int64(0), 0
	var hits []int64
	for more := true; more; asked++ {
		part := v.get(fmt.Sprintf("%s/log/search?q=needle&from=%d", path, from)).lines()
		for _, h := range part.Hits {
			hits = append(hits, h.At)
			if h.Text != "WARNING: the Needle was <lost>" || h.Class != "warn" {
				t.Errorf("found %+v", h)
			}
		}
		from, more = part.Next, part.More
	}
	if len(hits) != 1 || hits[0] != needle || asked != 3 {
		t.Errorf("found at %v in %d requests, want %d", hits, asked, needle)
	}
	if many := v.get(path + "/log/search?q=progress").lines(); len(many.Hits) != 100 || !many.More {
		t.Errorf("%d hits at once, more: %t", len(many.Hits), many.More)
	}
	// A part begins where a line does, wherever it is asked for.
	part := v.get(fmt.Sprintf("%s/log/part?at=%d", path, needle+5)).lines()
	if part.From != needle || len(part.Lines) != 2 || part.Lines[0].At != needle || part.Size != int64(log.Len()) {
		t.Errorf("the part is %+v", part)
	}
	if part = v.get(path + "/log/part?at=999999999999").lines(); len(part.Lines) != 1 || part.Lines[0].Text != "agent: uploading 3 KiB" {
		t.Errorf("behind the end is %+v", part)
	}
	v.get(path + "/log/search?q=").is(http.StatusBadRequest)
	v.get(path + "/log/part?at=-1").is(http.StatusBadRequest)
	v.get(path + "/log/search?q=x&from=zz").is(http.StatusBadRequest)
	r.as("zoe").get(path + "/log/search?q=needle").is(http.StatusNotFound)
	v.live("job:"+madeID(0)).shows("log", "<b>Upload</b>")
}

// TestAPageThatHasTheLogIsSentTheRestOnly opens a page, and its live connection as its script does.
func TestAPageThatHasTheLogIsSentTheRestOnly(t *testing.T) {
	r := withResults(t, made{farm.Job{Name: "Spot", OutputName: ".mp4"}, []byte("film")})
	log := "agent: attempt 1 on suite-1\nPROGRESS: one\n"
	r.logOf(madeID(0), log)
	v := r.as("vic")
	v.get("/jobs/"+madeID(0)).is(http.StatusOK, fmt.Sprintf(`data-next="%d"`, len(log)))
	rest := "PROGRESS: two\nPROGRESS: three\n"
	r.logOf(madeID(0), log+rest)
	live := func(from string) *livePage {
		conn, _, err := v.socket("/live?topic=job:" + madeID(0) + "&log=" + from)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return &livePage{t: t, conn: conn}
	}
	got := live(strconv.Itoa(len(log))).next(func(p part) bool { return p.ID == "log" || len(p.Lines) > 0 })
	if got.ID != "" || !slices.Equal(got.Lines, []string{"PROGRESS: two", "PROGRESS: three"}) || got.Next != int64(len(log+rest)) {
		t.Errorf("the page is sent %+v", got)
	}
	live("0").shows("log", "PROGRESS: three")
	live(strconv.Itoa(len(log+rest)+1)).shows("log", "PROGRESS: three") // as after another coordinator had more of it
	if _, status, err := v.socket("/live?topic=job:" + madeID(0) + "&log=x"); err == nil || status != http.StatusBadRequest {
		t.Errorf("an offset that is none is answered with %d, %v", status, err)
	}
}

func TestABatchIsDownloadedUnderNamesByAPattern(t *testing.T) {
	r := withResults(t,
		made{farm.Job{Name: "Spot", OutputName: ".mp4", Assets: []farm.Asset{text("Title", "Hello/World"), {Type: "image", LayerName: "Logo", Src: "https://x.example/?key=s3cret"}}}, []byte("one")},
		made{farm.Job{Name: "Spot", OutputName: ".mp4", Assets: []farm.Asset{text("Title", "=1+1")}}, []byte("two")},
		made{farm.Job{Name: "Spot", OutputName: ".zip", Settings: farm.Settings{Type: "image", Frames: &farm.Frames{Start: 0, End: 0}}}, stills(t, 0)},
		made{farm.Job{Name: "waits", OutputName: ".mp4"}, nil},
	)
	v := r.as("art")
	batch := "/batches/" + madeBatch
	v.get(batch).is(http.StatusOK, "Choose file names", "Results as CSV")
	v.get(batch+"/download").is(http.StatusOK, "{name}", "{row}", "{job}", "{Title}", "<li dir=\"auto\">Spot.mp4</li>", "Spot-2.mp4", "Spot/", "Download 3 results")
	pattern := url.Values{"names": {"{name}-{Title}-{row}"}}.Encode()
	v.get(batch+"/download?"+pattern).is(http.StatusOK, "Spot-Hello_World-1.mp4", "Spot-=1+1-2.mp4", "Spot--3/")
	v.get(batch+"/download?names=%7Bnope%7D").is(http.StatusBadRequest, "there is no column “nope”")
	v.get(batch + "/results.zip?names=%7Bnope%7D").is(http.StatusBadRequest)
	got := v.get(batch + "/results.zip?" + pattern).is(http.StatusOK).entries()
	for name, content := range map[string]string{"Spot-Hello_World-1.mp4": "one", "Spot-=1+1-2.mp4": "two", "Spot--3/Spot--3_00000.png": "picture 0"} {
		if got[name] != content {
			t.Errorf("%s holds %q of %v", name, got[name], got)
		}
	}
	table := v.get(batch + "/results.csv").is(http.StatusOK).lacks("s3cret")
	rows, err := csv.NewReader(strings.NewReader(table.body)).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, want := range [][]string{
		{"row", "name", "Title", "job", "state", "output", "error", "finished at"},
		{"1", "Spot", "Hello/World", madeID(0), "finished", r.base + "/outputs/" + madeID(0) + "-x.mp4", "", "2026-03-01T12:01:00Z"},
		{"2", "Spot", "'=1+1", madeID(1), "finished", r.base + "/outputs/" + madeID(1) + "-x.mp4", "", "2026-03-01T12:01:00Z"},
	} {
		if !slices.Equal(rows[i], want) {
			t.Errorf("row %d is %q", i, rows[i])
		}
	}
	if rows[4][3] != madeID(3) || rows[4][5] != "" {
		t.Errorf("what is not finished is %q", rows[4])
	}
	r.as("zoe").get(batch + "/results.csv").is(http.StatusNotFound)
	r.as("zoe").get(batch + "/download").is(http.StatusNotFound)
}

// TestASequenceIsDownloadedWithTheFramesThatWereRenderedAgain has two frames of a sequence rendered once more, one of them twice.
func TestASequenceIsDownloadedWithTheFramesThatWereRenderedAgain(t *testing.T) {
	sequence := func(first, last int, again bool) farm.Settings {
		return farm.Settings{Type: "image", Frames: &farm.Frames{Start: first, End: last}, DrawAll: again}
	}
	r := withResults(t,
		made{farm.Job{Name: "Spot", Settings: sequence(7, 10, false), OutputName: ".zip"}, stills(t, 7, 8, 9, 10)},
		made{farm.Job{Name: "Spot", TakeOf: madeID(0), Settings: sequence(8, 9, true), OutputName: ".zip"}, stillsOf(t, "second", 8, 9)},
		made{farm.Job{Name: "Spot", TakeOf: madeID(0), Settings: sequence(9, 9, true), OutputName: ".zip"}, stillsOf(t, "third", 9)},
		made{farm.Job{Name: "Other", Settings: sequence(7, 10, false), OutputName: ".zip"}, stills(t, 7)},
	)
	v := r.as("vic")
	for _, take := range []int{0, 2} {
		v.get("/jobs/"+madeID(take)).is(http.StatusOK, "Download with frames replaced")
		got := v.get("/jobs/" + madeID(take) + "/download?mended=1").is(http.StatusOK)
		got.called("Spot.zip", "")
		want := map[string]string{"Spot/Spot_00007.png": "picture 7", "Spot/Spot_00008.png": "second 8", "Spot/Spot_00009.png": "third 9", "Spot/Spot_00010.png": "picture 10"}
		if held := got.entries(); !maps.Equal(held, want) {
			t.Errorf("the sequence holds %v, want %v", held, want)
		}
	}
	v.get("/jobs/" + madeID(3)).is(http.StatusOK).lacks("with frames replaced")
	v.get("/jobs/" + madeID(3) + "/download?mended=1").is(http.StatusNotFound)
	r.as("zoe").get("/jobs/" + madeID(0) + "/download?mended=1").is(http.StatusNotFound)
}
