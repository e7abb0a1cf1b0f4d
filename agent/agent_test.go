package agent

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/agent/film"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// projectFile is a project with one composition, main, of 64×48 pixels and so many seconds at 25 frames/s.
func projectFile(t *testing.T, seconds float64) []byte {
	t.Helper()
	var b bytes.Buffer
	err := aep.Write(&b, &aep.Project{
		Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
			Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, Duration: seconds, WorkAreaDuration: seconds,
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func needFFmpeg(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed")
	}
}

// lasting is lease with more frames than a test waits for.
func lasting(t *testing.T, p *peer, task string) wire.Lease {
	l := lease(t, p, task)
	ref := p.keep("show.aep", projectFile(t, 1000))
	l.Project.File = &ref
	return l
}

// lease is a plain job on the projectFile of one second.
func lease(t *testing.T, p *peer, task string) wire.Lease {
	ref := p.keep("show.aep", projectFile(t, 1))
	return wire.Lease{
		Attempt: wire.Attempt{Task: task, Attempt: 1}, Job: "job", Kind: farm.TaskRender, Composition: "main",
		Project: wire.Project{Type: "aep", File: &ref}, Ext: "mp4",
	}
}

func TestLeaseBecomesAFilm(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	dir := t.TempDir()
	start(t, p, "missing-font", dir)
	l := lease(t, p, "job.1")
	picture := p.keep("in.png", []byte("\x89PNG\r\n\x1a\n and so on"))
	l.Assets = []farm.Asset{{Type: "static", Name: "data.json", Src: "data:application/json,{}"}, {Type: "image", LayerName: "x", Src: "farm://" + picture.SHA256}}
	l.Files = map[string]farm.FileRef{"farm://" + picture.SHA256: picture}
	p.mu.Lock()
	p.refusals = 2
	p.mu.Unlock()
	p.send(wire.Message{Lease: &l})
	m := p.report(l.Attempt)
	if m.Finished == nil {
		t.Fatalf("failed: %+v\n%s", m.Failed, p.logged(l.Attempt))
	}
	out := m.Finished.Output
	if out.Width != 64 || out.Height != 48 || out.Frames != 25 || out.FrameRate != 25 || !out.Audio || out.ContentType != "video/mp4" || out.Key == "" {
		t.Errorf("output %+v", out)
	}
	if len(m.Finished.Warnings) != 1 || m.Finished.Warnings[0] != "Project has missing fonts." {
		t.Errorf("warnings %q", m.Finished.Warnings)
	}
	p.eventually("thumbnails", func() bool { return p.thumbs >= 5 })
	p.eventually("what each frame took but the first", func() bool {
		return len(p.times) == 1 && p.times[0].Valid() && len(p.times[0].Of) == 24 && p.times[0].Of[23].First == 24
	})
	p.mu.Lock()
	percent, phases := 0.0, []string{}
	for _, m := range p.got {
		if m.Progress == nil {
			continue
		}
		if m.Progress.Percent < percent {
			t.Errorf("progress fell from %g to %g", percent, m.Progress.Percent)
		}
		percent = m.Progress.Percent
		if len(phases) == 0 || phases[len(phases)-1] != m.Progress.Phase {
			phases = append(phases, m.Progress.Phase)
		}
	}
	p.mu.Unlock()
	if percent != 100 || phases[len(phases)-1] != "uploading" {
		t.Errorf("progress ended at %g, phases %v", percent, phases)
	}
	log := p.logged(l.Attempt)
	if !strings.Contains(log, "PROGRESS:  0:00:00:24 (25): 0 Seconds") || strings.Contains(log, dir) {
		t.Errorf("log:\n%s", log)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "work")); err != nil || len(left) != 0 {
		t.Errorf("left in the work folder: %v, %v", left, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "credential.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("credential: %v, %v", info, err)
	}
}

func TestStillsBecomeAZip(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "normal", t.TempDir())
	l := lease(t, p, "job.1")
	l.Ext, l.Settings, l.Proxy = "zip", farm.Settings{Type: "image", Frames: &farm.Frames{Start: 5, End: 9}}, true
	p.send(wire.Message{Lease: &l})
	one := lease(t, p, "job.2")
	one.Ext, one.Settings = "png", farm.Settings{Type: "image", Frames: &farm.Frames{Start: 7, End: 7, Single: true}}
	m := p.report(l.Attempt)
	if m.Finished == nil {
		t.Fatalf("failed: %+v", m.Failed)
	}
	p.mu.Lock()
	b := p.outputs["job.1/1/result.zip"]
	p.mu.Unlock()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil || len(z.File) != 5 || z.File[0].Name != "frame_00005.png" || z.File[4].Name != "frame_00009.png" {
		t.Fatalf("%+v, %v", z, err)
	}
	p.proxied(l.Attempt, 5)
	p.eventually("the slot is free", func() bool { return len(p.got) > 0 })
	p.send(wire.Message{Lease: &one})
	if m := p.report(one.Attempt); m.Finished == nil || m.Finished.Output.ContentType != "image/png" || m.Finished.Output.Width != 64 {
		t.Fatalf("%+v", m)
	}
}

// proxied holds the small film that an attempt has sent to what every browser plays.
func (p *peer) proxied(at wire.Attempt, frames int) {
	p.t.Helper()
	p.mu.Lock()
	b := p.outputs[fmt.Sprintf("%s/%d/proxy", at.Task, at.Attempt)]
	p.mu.Unlock()
	path := filepath.Join(p.t.TempDir(), "proxy.mp4")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		p.t.Fatal(err)
	}
	info, err := film.Probe(p.t.Context(), path)
	if err != nil || info.Codec != "h264" || info.PixFmt != "yuv420p" || info.Frames != frames {
		p.t.Errorf("the proxy of %d bytes is %+v, %v", len(b), info, err)
	}
}

func TestFailuresAreReportedInTheJobsWords(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	cases := []struct {
		part   string
		change func(p *peer, l *wire.Lease)
		want   string
		retry  bool
	}{
		{"crash", nil, "Render failed: the embedded engine exited with code 1", true},
		{"script", nil, "Layer 'title' not found in composition 'main' (asset 2)", false},
		{"missing", nil, "Render failed: the film has 12 frames, 25 were expected", true},
		{"empty-output", nil, "Render failed: the film is empty", true},
		{"truncated", nil, "Render failed: the film cannot be read", true},
		{"drop", func(_ *peer, l *wire.Lease) { l.Settings.Frames = nil }, "Render failed: the film was not written", true},
		{"normal", func(_ *peer, l *wire.Lease) { l.Composition = "other" }, "Composition 'other' not found", false},
		{"normal", func(_ *peer, l *wire.Lease) { l.Settings.Engine = "ae2026" }, "This machine has no engine 'ae2026'", true},
		{"normal", func(p *peer, l *wire.Lease) { ref := p.keep("x.aep", []byte("no project")); l.Project.File = &ref }, "The project cannot be opened: not an After Effects project", false},
		{"normal", func(_ *peer, l *wire.Lease) {
			l.Assets = []farm.Asset{{Type: "static", Name: "a", Src: "data:,"}, {Type: "image", LayerName: "x", Src: l.Project.Src + "/forbidden.png"}}
		}, "Asset failed to download (403) (asset 1)", false},
		{"normal", func(_ *peer, l *wire.Lease) {
			l.Fonts = []farm.FileRef{{Name: "X.ttf", SHA256: strings.Repeat("0", 64), Size: 1}}
		}, "Font 'X.ttf' not available", true},
		{"normal", func(_ *peer, l *wire.Lease) { l.Project.File.SHA256 = strings.Repeat("1", 64) }, "Project failed to download (404)", false},
		{"normal", func(_ *peer, l *wire.Lease) {
			l.Assets = []farm.Asset{{Type: "static", Name: "../../x", Src: "data:,"}}
		}, "A static asset needs a file name without folders above it", false},
		{"normal", func(_ *peer, l *wire.Lease) { l.Kind = "prepare" }, "This agent cannot run tasks of kind 'prepare'", true},
		{"normal", func(_ *peer, l *wire.Lease) {
			l.Assets = []farm.Asset{{Type: "function", Name: "nx:fly", LayerName: "a"}}
		}, "Function 'nx:fly' is not known (asset 0)", false},
	}
	for _, c := range cases {
		t.Run(c.want, func(t *testing.T) {
			p := newPeer(t)
			forbidden := newForbidden(t)
			start(t, p, c.part, t.TempDir())
			l := lease(t, p, "job.1")
			if c.change != nil {
				l.Project.Src = forbidden
				c.change(p, &l)
				l.Project.Src = ""
			}
			p.send(wire.Message{Lease: &l})
			m := p.report(l.Attempt)
			if m.Failed == nil || !strings.HasPrefix(m.Failed.Message, c.want) || m.Failed.Retry != c.retry || m.Failed.Cancelled {
				t.Fatalf("got %s\nwant %s, retry %t", describe(m), c.want, c.retry)
			}
		})
	}
}

func describe(m wire.Message) string {
	b, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// newForbidden is a web server that refuses everything.
func newForbidden(t *testing.T) string {
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
}

// TestAMachineWithoutFFmpegLeavesTheJobToOthers: what it lacks is no fault of the job.
func TestAMachineWithoutFFmpegLeavesTheJobToOthers(t *testing.T) {
	needFFmpeg(t)
	p := newPeer(t)
	l := moving(t, p, "job.1", "", "mp4")
	t.Setenv("PATH", t.TempDir())
	start(t, p, "", t.TempDir())
	p.send(wire.Message{Lease: &l})
	f := p.report(l.Attempt).Failed
	if f == nil || !f.Retry || !f.Cancelled || !strings.Contains(f.Message, "ffmpeg or ffprobe is missing: install ffmpeg") {
		t.Errorf("%+v", f)
	}
	p.eventually("it says that it is not ready", func() bool { return p.available.NotReady && strings.Contains(p.available.Reason, "ffmpeg") })
}

func TestClipsAreJoined(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "", t.TempDir())
	clip := func(color string, frames string) farm.FileRef {
		path := filepath.Join(t.TempDir(), color+".mp4")
		out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color="+color+":s=64x48:r=25", "-frames:v", frames, "-pix_fmt", "yuv420p", path).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return p.keep("clip", b)
	}
	red, blue := clip("red", "10"), clip("blue", "15")
	l := wire.Lease{Attempt: wire.Attempt{Task: "join.1", Attempt: 1}, Job: "join", Kind: farm.TaskJoin, Ext: "mp4",
		Assets: []farm.Asset{{Type: "video", Src: "farm://" + red.SHA256}, {Type: "video", Src: "job://01J"}},
		Files:  map[string]farm.FileRef{"farm://" + red.SHA256: red, "job://01J": blue},
	}
	p.send(wire.Message{Lease: &l})
	m := p.report(l.Attempt)
	if m.Finished == nil {
		t.Fatalf("failed: %+v\n%s", m.Failed, p.logged(l.Attempt))
	}
	if out := m.Finished.Output; out.Frames != 25 || out.Width != 64 || out.FrameRate != 25 || out.Audio || out.ContentType != "video/mp4" {
		t.Errorf("output %+v", out)
	}
	if log := p.logged(l.Attempt); !strings.Contains(log, "all 2 clips agree: their pictures are copied") {
		t.Errorf("the log says\n%s", log)
	}
	p.eventually("thumbnails", func() bool { return p.thumbs >= 5 })

	broken := p.keep("clip", []byte("no film"))
	l.Task = "join.2"
	l.Files["job://01J"] = broken
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || !strings.HasPrefix(m.Failed.Message, "Asset cannot be read: ") || !strings.HasSuffix(m.Failed.Message, "(asset 1)") || m.Failed.Retry {
		t.Errorf("got %s", describe(m))
	}
}

// TestAnAgentWithoutAFolderSaysHowToNameOne: the usual folder is the system's, and not everybody may make it.
func TestAnAgentWithoutAFolderSaysHowToNameOne(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := Config{DataDir: filepath.Join(file, "agent"), Coordinators: []string{"http://farm.test"}}
	if err := cfg.Complete(); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "--data-dir") {
		t.Errorf("got %v", err)
	}
}
