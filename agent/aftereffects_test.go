package agent

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/internal/aerenderdouble"
	"overcrank/agent/inventory"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/frames"
)

// startStudio runs an agent on a machine with After Effects 26, which leaves outcome behind when it applies a script.
func startStudio(t *testing.T, p *peer, part, outcome string) *agent {
	t.Helper()
	return startStudioOf(t, p, part, outcome, Manners{})
}

// startStudioOf is startStudio on a machine whose owner has rules.
func startStudioOf(t *testing.T, p *peer, part, outcome string, manners Manners, edit ...func(*agent)) *agent {
	t.Helper()
	self := aerenderdouble.Program(t, part)
	cfg := Config{DataDir: t.TempDir(), Coordinators: []string{p.server.URL}, JoinToken: joinToken(t), Name: "studio", Engine: self, Writers: writers, Desk: &shownDesk{}, Manners: manners, Logger: slog.New(slog.DiscardHandler)}
	if err := cfg.Complete(); err != nil {
		t.Fatal(err)
	}
	a, err := open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	take := a.inventory.take
	a.inventory.take = func(ctx context.Context, patience time.Duration) inventory.Report {
		report := take(ctx, patience)
		report.Engines = append(report.Engines, farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: "26.0.2", Path: self})
		return report
	}
	a.inventory.look(t.Context(), time.Minute)
	a.machine.AfterEffects.Script = func(engine, script string) []string { return []string{engine, "afterfx", script, outcome} }
	a.machine.Pace.Pictures, a.machine.Pace.Return = time.Minute, time.Minute // for machines that are busy with other tests
	for _, e := range edit {
		e(a)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	return a
}

func TestAfterEffectsRendersAnIntermediateThatIsEncodedHere(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	startStudio(t, p, "normal", "ok")
	film := lease(t, p, "film.1")
	film.Settings = farm.Settings{Engine: "ae2026", Codec: "video_prores_422"}
	film.Ext, film.Proxy = "mov", true
	p.send(wire.Message{Lease: &film})
	m := p.report(film.Attempt)
	if m.Finished == nil || m.Finished.Output.Frames != 25 || m.Finished.Output.ContentType != "video/quicktime" {
		t.Fatalf("%s\n%s", describe(m), p.logged(film.Attempt))
	}
	p.proxied(film.Attempt, 25)
	if log := p.logged(film.Attempt); !strings.Contains(log, "rendering with After Effects 26.0.2") {
		t.Errorf("log:\n%s", log)
	}
}

func TestOneTaskAtATimeUsesAfterEffects(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	a := startStudioOf(t, p, "normal", "ok", Manners{}, func(a *agent) { a.cfg.Slots = 2 })
	release, err := a.machine.AfterEffects.Take(t.Context(), func() {}) // another task has it
	if err != nil {
		t.Fatal(err)
	}
	l := lease(t, p, "film.1")
	l.Settings = farm.Settings{Engine: "ae2026"}
	p.send(wire.Message{Lease: &l})
	p.says(l.Attempt, "waiting for the After Effects of another task")
	other := lease(t, p, "film.2")
	other.Settings = farm.Settings{Engine: "ae2026"}
	p.send(wire.Message{Lease: &other})
	p.send(wire.Message{Cancel: &wire.Cancel{Attempt: other.Attempt, Reason: "the job was cancelled"}})
	if m := p.report(other.Attempt); m.Failed == nil || !m.Failed.Cancelled {
		t.Fatalf("one that waits is cancelled: %s", describe(m))
	}
	release()
	if m := p.report(l.Attempt); m.Finished == nil {
		t.Fatalf("%s\n%s", describe(m), p.logged(l.Attempt))
	}
}

// A task has After Effects to itself until it no longer renders.
func TestATaskHoldsAfterEffectsWhileItRenders(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	startStudioOf(t, p, "hang-half", "ok", Manners{}, func(a *agent) { a.cfg.Slots = 2 })
	first, second := lease(t, p, "film.1"), lease(t, p, "film.2")
	first.Settings, second.Settings = farm.Settings{Engine: "ae2026"}, farm.Settings{Engine: "ae2026"}
	p.send(wire.Message{Lease: &first})
	p.rendering(first.Attempt)
	p.send(wire.Message{Lease: &second})
	p.says(second.Attempt, "waiting for the After Effects of another task")
	p.send(wire.Message{Cancel: &wire.Cancel{Attempt: first.Attempt, Reason: "the job was cancelled"}})
	p.rendering(second.Attempt)
	if m := p.report(first.Attempt); m.Failed == nil || !m.Failed.Cancelled {
		t.Fatalf("the first: %s", describe(m))
	}
	p.send(wire.Message{Cancel: &wire.Cancel{Attempt: second.Attempt, Reason: "the job was cancelled"}})
	p.report(second.Attempt)
}

func TestAfterEffectsGivesTheFilledInProject(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	startStudio(t, p, "normal", "ok")
	l := lease(t, p, "aep.1")
	l.Settings, l.Ext = farm.Settings{Type: "aep"}, "zip"
	l.Assets = []farm.Asset{{Type: "static", Name: "data.json", Src: "data:application/json,{}"}, {Type: "audio", LayerName: "x", Name: "a.wav", Src: "data:,RIFF"}}
	p.send(wire.Message{Lease: &l})
	m := p.report(l.Attempt)
	if m.Finished == nil {
		t.Fatalf("%s\n%s", describe(m), p.logged(l.Attempt))
	}
	p.mu.Lock()
	b := p.outputs["aep.1/1/result.zip"]
	p.mu.Unlock()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "(Assets)/1/a.wav data.json show.aep" {
		t.Errorf("the zip holds %s", got)
	}
}

func TestScriptThatFailsInAfterEffectsIsTheJobsFailure(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[string]string{
		"error: Layer 'title' not found in composition 'main' (asset 2)": "Layer 'title' not found in composition 'main' (asset 2)",
		"": "Render failed: After Effects ended without having run the script; scripting may be blocked on this machine",
	} {
		t.Run(want, func(t *testing.T) {
			p := newPeer(t)
			startStudio(t, p, "normal", outcome)
			l := lease(t, p, "job.1")
			p.send(wire.Message{Lease: &l})
			if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != want {
				t.Fatalf("%s", describe(m))
			}
		})
	}
}

func TestAFilmThatAfterEffectsOfSeveralMachinesDrewIsThatOfOne(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	for _, c := range []struct{ part, codec, ext string }{
		{"unordered", "", "mp4"}, {"no-sound-module", "video_prores_4444", "mov"}, {"normal", "", "zip"},
	} {
		t.Run(c.codec+" "+c.ext, func(t *testing.T) {
			p := newPeer(t)
			startStudio(t, p, c.part, "ok")
			l := lease(t, p, "whole.1")
			l.Ext, l.Settings = c.ext, farm.Settings{Codec: c.codec, Frames: &farm.Frames{Start: 4, End: 21}}
			if c.ext == "zip" {
				l.Settings.Type = "image"
			}
			whole, want := finished(t, p, l)
			put, got := finished(t, p, split(t, p, l, 4, 5, 14))
			if c.ext == "zip" {
				samePictures(t, want, got, 18)
				return
			}
			sameDecoded(t, "the film", want, got)
			if w, o := whole.Output, put.Output; o.Frames != 18 || o.Duration != w.Duration || !o.Audio || o.Width != w.Width {
				t.Errorf("of parts it is %+v\nof one machine %+v", o, w)
			}
			p.eventually("thumbnails", func() bool { return p.thumbs >= 5 })
		})
	}
}

// samePictures compares the pixels of pictures in two zips: what else is in the files, such as densities, differs.
func samePictures(t *testing.T, a, b []byte, count int) {
	t.Helper()
	first, second := unpacked(t, a), unpacked(t, b)
	if len(first) != count || len(second) != count {
		t.Errorf("%d and %d pictures, not %d", len(first), len(second), count)
	}
	for name, content := range first {
		want, got := pixels(t, content), pixels(t, second[name])
		if want.Rect != got.Rect || !bytes.Equal(want.Pix, got.Pix) {
			t.Errorf("%s has other pixels", name)
		}
	}
}

// pixels are those of a PNG file.
func pixels(t *testing.T, content []byte) *image.NRGBA64 {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA64(decoded.Bounds())
	draw.Draw(out, out.Rect, decoded, out.Rect.Min, draw.Src)
	return out
}

// sameDecoded compares frames and sound of two files.
func sameDecoded(t *testing.T, what string, want, got []byte) {
	t.Helper()
	a, b := strings.Split(decoded(t, want), "\n"), strings.Split(decoded(t, got), "\n")
	if len(a) != len(b) {
		t.Errorf("%s has %d lines of frames, not %d", what, len(b), len(a))
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("%s differs: %q, not %q", what, b[i], a[i])
			return
		}
	}
}

// decoded is a hash of every frame of a film, with its time, and one of all its sound.
func decoded(t *testing.T, film []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "film")
	if err := os.WriteFile(path, film, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "framemd5", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	sound, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "md5", "-").Output()
	if err != nil {
		sound = []byte("no sound")
	}
	return string(out) + string(sound)
}

// haveDone waits until so many frames of the only attempt are done.
func (a *agent) haveDone(p *peer, count int) {
	p.t.Helper()
	p.eventually(fmt.Sprintf("%d frames to be done", count), func() bool {
		paths, err := filepath.Glob(filepath.Join(a.cfg.DataDir, "*", "*", "out", "part"+frames.Ext))
		if err != nil || len(paths) != 1 {
			return false
		}
		grown, err := growthOf(paths[0])
		return err == nil && grown.Frames >= count
	})
}

func TestPicturesThatAfterEffectsHasDrawnStayWhenATaskIsGivenBack(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	a := startStudio(t, p, "one-by-one", "ok")
	l := lasting(t, p, "range.1")
	l.Part, l.Settings.Frames = true, &farm.Frames{Start: 4, End: 20_000}
	p.send(wire.Message{Lease: &l})
	a.haveDone(p, 4)
	a.slots.giveBack("somebody works at it", 0)
	m := p.report(l.Attempt)
	if f := m.Failed; f == nil || !f.Cancelled || f.Done == nil || f.Done.Start != 4 || f.Done.End < 7 || f.Done.End > 19_000 || f.Output == nil || f.Output.Frames != f.Done.Count() {
		t.Fatalf("got %s\n%s", describe(m), p.logged(l.Attempt))
	}
}

// TestAFilmThatAfterEffectsDrewAsFramesIsThatOfAnyMachine: whoever may come back to a machine gets the same film of it.
func TestAFilmThatAfterEffectsDrewAsFramesIsThatOfAnyMachine(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	for _, c := range []struct{ part, codec, ext string }{
		{"unordered", "video_prores_4444", "mov"}, {"normal", "", "zip"}, {"no-picture-module", "", "mp4"},
	} {
		t.Run(c.part+" "+c.ext, func(t *testing.T) {
			p := newPeer(t)
			startStudio(t, p, c.part, "ok")
			l := lease(t, p, "plain.1")
			l.Ext, l.Settings, l.Parted = c.ext, farm.Settings{Codec: c.codec}, true
			if c.ext == "zip" {
				l.Settings.Type, l.Settings.Frames = "image", &farm.Frames{Start: 4, End: 8}
			}
			plain, want := finished(t, p, l)

			q := newPeer(t)
			startStudioOf(t, q, c.part, "ok", peopled)
			l.Task, l.Project = "kept.1", lease(t, q, "kept.1").Project
			kept, got := finished(t, q, l)
			log := q.logged(l.Attempt)
			if n := strings.Count(log, "putting the assets into the project"); n != 1 {
				t.Errorf("the assets were put into the project %d times", n)
			}
			if c.part == "no-picture-module" {
				if !strings.Contains(log, "no output module for pictures") {
					t.Errorf("the log does not say why no frames were kept:\n%s", log)
				}
			} else if !strings.Contains(log, "frames together") {
				t.Errorf("frames were not kept:\n%s", log)
			}
			if c.ext == "zip" {
				samePictures(t, want, got, 5)
				return
			}
			sameDecoded(t, "the film", want, got)
			if w, o := plain.Output, kept.Output; o.Frames != 25 || o.Duration != w.Duration || o.FrameRate != w.FrameRate || !o.Audio || o.Width != w.Width {
				t.Errorf("drawn as frames it is %+v\notherwise %+v", o, w)
			}
			if m := kept.Measured; m.Frames != 25 || m.Engine != "aftereffects 26.0.2" || m.StartSeconds+m.FrameSeconds <= 0 {
				t.Errorf("measured %+v", m)
			}
		})
	}
}

// TestFramesOfAFilmThatAfterEffectsDrawsAloneStay when the machine is wanted back, also with a coordinator that takes nothing ahead.
func TestFramesOfAFilmThatAfterEffectsDrawsAloneStay(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	a := startStudioOf(t, p, "one-by-one", "ok", peopled)
	l := lasting(t, p, "whole.1")
	l.Parted = true
	p.send(wire.Message{Lease: &l})
	a.haveDone(p, 7)
	a.slots.giveBack("somebody works at it", 0)
	m := p.report(l.Attempt)
	f := m.Failed
	if f == nil || !f.Cancelled || f.Done == nil || f.Done.Start != 0 || f.Done.End < 6 || f.Done.End > 19_000 || f.Output == nil || f.Output.Frames != f.Done.Count() {
		t.Fatalf("got %s\n%s", describe(m), p.logged(l.Attempt))
	}
	if f.Measured.Engine != "aftereffects 26.0.2" {
		t.Errorf("measured %+v", f.Measured)
	}
}

func TestAfterEffectsDrawsSamples(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	startStudio(t, p, "normal", "ok")
	l := lease(t, p, "sample.1")
	l.Kind, l.Part, l.Stills = farm.TaskSample, true, []int{0, 12, 24}
	_, b := finished(t, p, l)
	got := entries(t, b)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "frame_00012.png ") || strings.Fields(lines[0])[1] == strings.Fields(lines[1])[1] {
		t.Errorf("the samples are\n%s", got)
	}
	p.eventually("a thumbnail of each", func() bool { return p.thumbs >= 3 })
}

func TestAnAfterEffectsThatFinishedAndHangsHasSucceededWhateverItWrote(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	startStudioOf(t, p, "hang-end", "ok", Manners{}, func(a *agent) {
		a.machine.Limits = aerender.Limits{Exit: 500 * time.Millisecond, Grace: 100 * time.Millisecond}
	})
	some := &farm.Frames{Start: 3, End: 5}
	for task, edit := range map[string]func(*wire.Lease){
		"film":     func(*wire.Lease) {},
		"alpha":    func(l *wire.Lease) { l.Settings.Codec, l.Ext = "video_prores_4444", "mov" },
		"pictures": func(l *wire.Lease) { l.Settings.Type, l.Settings.Frames, l.Ext = "image", some, "zip" },
		"picture":  func(l *wire.Lease) { l.Settings.Type, l.Ext = "image", "png" },
		"range":    func(l *wire.Lease) { l.Part, l.Settings.Frames = true, some },
		"sound":    func(l *wire.Lease) { l.Part, l.Kind = true, farm.TaskSound },
	} {
		l := lease(t, p, task+".1")
		edit(&l)
		l.Settings.Engine = "ae2026"
		p.send(wire.Message{Lease: &l})
		if m := p.report(l.Attempt); m.Finished == nil {
			t.Errorf("%s: %s\n%s", task, describe(m), p.logged(l.Attempt))
		}
	}
}
