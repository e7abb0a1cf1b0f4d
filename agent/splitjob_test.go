package agent

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/frames"
)

// filmFrames are those of moving.
const filmFrames = 38

// movingFile is a project whose composition main, 65×49 pixels and so many frames at 23.976 frames/s, has transparency, sound, and an
// expression that shakes a layer.
func movingFile(t *testing.T, frames float64) []byte {
	t.Helper()
	const rate = 24000.0 / 1001
	prop := func(match string, v ...float64) *aep.Property {
		return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v)}
	}
	group := func(match string, children ...*aep.Property) *aep.Property {
		return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
	}
	layer := func(id, source uint32, name string, groups ...*aep.Property) *aep.Layer {
		return &aep.Layer{ID: id, Name: name, Source: source, Kind: aep.LayerAV, Enabled: true, AudioEnabled: true, Out: frames / rate, Stretch: 100, Props: group("ADBE AV Layer", groups...)}
	}
	shaken := prop("ADBE Position", 30, 20, 0)
	shaken.Expression, shaken.ExpressionOn = "wiggle(3, 12)", true
	comp := &aep.Composition{
		Width: 65, Height: 49, PixelAspect: 1, FrameRate: rate, FrameTicks: 1001, TicksPerSecond: 24000, Duration: frames / rate, WorkAreaDuration: frames / rate,
		Layers: []*aep.Layer{
			layer(1, 2, "shaken", group("ADBE Transform Group", shaken, prop("ADBE Opacity", 60))),
			layer(2, 3, "sound"),
		},
	}
	var b bytes.Buffer
	err := aep.Write(&b, &aep.Project{Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{
		{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: comp},
		{ID: 2, Name: "red", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 20, Height: 20, PixelAspect: 1, Color: [3]float64{1, 0.5, 0}, HasVideo: true}},
		{ID: 3, Name: "sound.wav", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile, Duration: 2, HasAudio: true, Format: "WAVE", PixelAspect: 1,
			File: aep.FileReference{FullPath: `C:\work\sound.wav`, Platform: "windows", AscendBase: 1, AscendTarget: 1}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// moving is a job on a short movingFile.
func moving(t *testing.T, p *peer, task, codec, ext string) wire.Lease {
	t.Helper()
	sound, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=300:sample_rate=44100", "-t", "2", "-f", "wav", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	ref := p.keep("moving.aep", movingFile(t, filmFrames))
	l := wire.Lease{
		Attempt: wire.Attempt{Task: task, Attempt: 1}, Job: "job", Kind: farm.TaskRender, Composition: "main", Ext: ext,
		Project: wire.Project{Type: "aep", File: &ref}, Settings: farm.Settings{Codec: codec, Frames: &farm.Frames{Start: 2, End: 33}},
		Assets: []farm.Asset{{Type: "static", Name: "sound.wav", Src: "data:audio/wav;base64," + base64.StdEncoding.EncodeToString(sound)}},
	}
	if ext == "zip" || ext == "png" {
		l.Settings.Type = "image"
	}
	return l
}

// endless is a job of more frames than a test waits for.
func endless(t *testing.T, p *peer, task string) wire.Lease {
	t.Helper()
	l := moving(t, p, task, "", "mp4")
	long := p.keep("long.aep", movingFile(t, 100_000))
	l.Project.File, l.Settings.Frames = &long, &farm.Frames{Start: 2, End: 95_000}
	return l
}

// finished runs a lease to its result.
func finished(t *testing.T, p *peer, l wire.Lease) (wire.Finished, []byte) {
	t.Helper()
	p.send(wire.Message{Lease: &l})
	m := p.report(l.Attempt)
	if m.Finished == nil {
		t.Fatalf("task %s failed: %s\n%s", l.Task, describe(m), p.logged(l.Attempt))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return *m.Finished, p.outputs[m.Finished.Output.Key]
}

// split gives the assemble task of a job whose ranges and sound have been made.
func split(t *testing.T, p *peer, whole wire.Lease, begins ...int) wire.Lease {
	t.Helper()
	assemble := whole
	assemble.Kind, assemble.Task, assemble.Project, assemble.Assets = farm.TaskAssemble, "assemble.1", wire.Project{}, nil
	assemble.Files = map[string]farm.FileRef{}
	add := func(l wire.Lease) {
		l.Part = true
		done, b := finished(t, p, l)
		part := wire.Part{Kind: l.Kind, Src: wire.PartScheme + l.Task + "/1"}
		if l.Kind == farm.TaskRender {
			part.Frames = *l.Settings.Frames
			for _, piece := range done.Before {
				if piece.Frames.Start != part.Frames.Start {
					t.Errorf("a piece of the frames %v comes before %v", piece.Frames, part.Frames)
				}
				part.Frames.Start = piece.Frames.End + 1
				ahead := wire.Part{Kind: l.Kind, Frames: piece.Frames, Src: fmt.Sprintf("%s/%d", part.Src, piece.Frames.Start)}
				assemble.Parts = append(assemble.Parts, ahead)
				assemble.Files[ahead.Src] = p.keep("piece", p.given(piece.Output))
			}
			if done.Output.Frames != part.Frames.Count() {
				t.Errorf("range %+v reports %d frames", part.Frames, done.Output.Frames)
			}
			if m := done.Measured; m.Frames != l.Settings.Frames.Count() || m.StartSeconds+m.FrameSeconds <= 0 || m.Engine == "" || m.Frames > 1 && m.FrameSeconds <= 0 {
				t.Errorf("measured %+v", m)
			}
		}
		assemble.Parts = append(assemble.Parts, part)
		assemble.Files[part.Src] = p.keep("part", b)
	}
	for i, from := range begins {
		to := whole.Settings.Frames.End
		if i+1 < len(begins) {
			to = begins[i+1] - 1
		}
		l := whole
		l.Task, l.Settings.Frames = fmt.Sprintf("range.%d", i), &farm.Frames{Start: from, End: to}
		add(l)
	}
	if whole.Settings.Type != "image" {
		l := whole
		l.Task, l.Kind = "sound.1", farm.TaskSound
		add(l)
	}
	return assemble
}

func TestAFilmOfPartsIsThatOfOneMachine(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	for _, c := range []struct{ codec, ext string }{{"", "mp4"}, {"video_prores_422", "mov"}, {"video_prores_4444", "mov"}, {"", "zip"}, {"image_jpeg", "zip"}} {
		t.Run(c.codec+" "+c.ext, func(t *testing.T) {
			p := newPeer(t)
			start(t, p, "", t.TempDir())
			l := moving(t, p, "whole.1", c.codec, c.ext)
			whole, want := finished(t, p, l)
			put, got := finished(t, p, split(t, p, l, 2, 3, 15))
			if c.ext == "zip" {
				if a, b := entries(t, want), entries(t, got); a != b || strings.Count(a, "\n") != 32 {
					t.Errorf("pictures\n%sof parts are\n%s", a, b)
				}
				return
			}
			if !bytes.Equal(want, got) {
				t.Errorf("the films differ: %d and %d bytes", len(want), len(got))
			}
			w, o := whole.Output, put.Output
			if o.Frames != w.Frames || o.Duration != w.Duration || o.FrameRate != w.FrameRate || !o.Audio || o.Width != w.Width || o.Height != w.Height || o.Frames != 32 {
				t.Errorf("of parts it is %+v\nof one machine %+v", o, w)
			}
		})
	}
}

// unpacked is what a zip holds, by name.
func unpacked(t *testing.T, b []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]byte)
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// entries lists what a zip holds, with hashes.
func entries(t *testing.T, b []byte) string {
	t.Helper()
	files := unpacked(t, b)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&out, "%s %s\n", name, hashOf(files[name]))
	}
	return out.String()
}

// TestPartsOfAFilmAreNotKept: they take many times the room of the film, and nobody asks for them again.
func TestPartsOfAFilmAreNotKept(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	dir := t.TempDir()
	start(t, p, "", dir)
	l := split(t, p, moving(t, p, "whole.1", "", "mp4"), 2, 10)
	done, _ := finished(t, p, l)
	for src, file := range l.Files {
		if _, err := os.Stat(filepath.Join(dir, "cache", file.SHA256)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s lies in the cache: %v", src, err)
		}
	}
	if m := done.Measured; m.Frames != 32 || m.FrameSeconds <= 0 {
		t.Errorf("what putting together costs was measured as %+v", m)
	}
}

func TestDamagedAndMissingFramesAreNamedToTheFarm(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "", t.TempDir())
	l := moving(t, p, "whole.1", "", "mp4")
	a := split(t, p, l, 2, 10, 20)
	first, second := a.Files["part://range.0/1"], a.Files["part://range.1/1"]
	p.mu.Lock()
	b := bytes.Clone(p.files[first.SHA256])
	b[len(b)-5] ^= 1
	p.files[first.SHA256] = b // what is kept is not what its hash says any more
	delete(p.files, second.SHA256)
	p.mu.Unlock()
	p.send(wire.Message{Lease: &a})
	m := p.report(a.Attempt)
	if m.Failed == nil || !m.Failed.Retry || fmt.Sprint(m.Failed.Bad) != "[{9 19 false}]" {
		t.Fatalf("got %s\n%s", describe(m), p.logged(a.Attempt))
	}
	if want := "Render failed: 11 frames of the film are missing or damaged, the first is frame 9"; m.Failed.Message != want {
		t.Errorf("got %q, want %q", m.Failed.Message, want)
	}
	// The bad frames alone are rendered again.
	again := l
	again.Task, again.Part, again.Settings.Frames = "range.9", true, &m.Failed.Bad[0]
	_, mended := finished(t, p, again)
	a.Task = "assemble.2"
	a.Parts = append(slices.Clone(a.Parts), wire.Part{Kind: farm.TaskRender, Frames: m.Failed.Bad[0], Src: "part://range.9/1"})
	a.Files["part://range.9/1"] = p.keep("part", mended)
	_, got := finished(t, p, a)
	if _, want := finished(t, p, l); !bytes.Equal(got, want) {
		t.Error("the mended film differs from that of one machine")
	}
}

func TestSamplesAreSingleFrames(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "", t.TempDir())
	l := moving(t, p, "sample.1", "", "mp4")
	l.Kind, l.Part, l.Stills = farm.TaskSample, true, []int{2, 17, 33}
	done, b := finished(t, p, l)
	if got := entries(t, b); strings.Count(got, "\n") != 3 || !strings.Contains(got, "frame_00002.png ") || !strings.Contains(got, "frame_00017.png ") || !strings.Contains(got, "frame_00033.png ") {
		t.Errorf("the samples are\n%s", got)
	}
	if done.Output.ContentType != "application/zip" || done.Output.Width != 65 {
		t.Errorf("output %+v", done.Output)
	}
	p.eventually("a thumbnail of each", func() bool { return p.thumbs >= 3 })
}

// TestSamplesThatShowNothingAreReplaced renders a film that begins and ends black.
func TestSamplesThatShowNothingAreReplaced(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "", t.TempDir())
	fades := func(task, opacity string) string {
		l := moving(t, p, task, "", "mp4")
		l.Kind, l.Part, l.Stills = farm.TaskSample, true, []int{2, 17, 33}
		l.Assets = append(l.Assets, farm.Asset{Type: "data", LayerName: "shaken", Property: "Opacity", Expression: opacity})
		_, b := finished(t, p, l)
		return entries(t, b)
	}
	got := fades("sample.1", "f = Math.round(time*24000/1001); f < 9 || f > 30 ? 0 : 100")
	if strings.Count(got, "\n") != 3 || !strings.Contains(got, "frame_00010.png ") || !strings.Contains(got, "frame_00017.png ") || !strings.Contains(got, "frame_00029.png ") {
		t.Errorf("the samples are\n%s", got)
	}
	if got = fades("sample.2", "0"); strings.Count(got, "\n") != 3 || !strings.Contains(got, "frame_00002.png ") || !strings.Contains(got, "frame_00033.png ") {
		t.Errorf("the samples of a black film are\n%s", got)
	}
}

func TestSilentCompositionsGiveASoundWithoutSamples(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "", t.TempDir())
	l := lease(t, p, "sound.1")
	l.Kind, l.Part = farm.TaskSound, true
	done, b := finished(t, p, l)
	if done.Output.Audio || len(b) != 44 || !bytes.HasPrefix(b, []byte("RIFF")) {
		t.Errorf("%+v, %d bytes", done.Output, len(b))
	}
}

func TestFramesThatAreDoneStayWhenATaskIsGivenBack(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	for _, frameEnd := range []time.Duration{0, time.Minute} {
		p := newPeer(t)
		board := startSlots(t, p)
		l := endless(t, p, "range.1")
		l.Part = true
		p.send(wire.Message{Lease: &l})
		p.eventually("some frames to be done", func() bool {
			return slices.ContainsFunc(p.got, func(m wire.Message) bool { return m.Progress != nil && m.Progress.Frame >= 4 })
		})
		board.giveBack("somebody works at it", frameEnd)
		m := p.report(l.Attempt)
		f := m.Failed
		if f == nil || !f.Cancelled || !f.Retry || f.Message != "somebody works at it" || f.Done == nil || f.Output == nil || f.Done.Start != 2 || f.Done.End < 3 || f.Done.End > 90_000 {
			t.Fatalf("got %s\n%s", describe(m), p.logged(l.Attempt))
		}
		p.mu.Lock()
		b := p.outputs[f.Output.Key]
		p.mu.Unlock()
		r, err := frames.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		for n := f.Done.Start; n <= f.Done.End; n++ {
			if number, _, err := r.Next(); err != nil || number != n {
				t.Fatalf("frame %d of %+v: %d, %v", n, f.Done, number, err)
			}
		}
		if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("behind the last frame: %v", err)
		}
		r.Close()
	}
}

// TestFramesThatAreDoneStayWhenTheFarmPausesTheMachine: another one goes on with them, as when its artist is back.
func TestFramesThatAreDoneStayWhenTheFarmPausesTheMachine(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "", t.TempDir())
	l := endless(t, p, "range.1")
	l.Part = true
	p.send(wire.Message{Lease: &l})
	p.eventually("some frames to be done", func() bool {
		return slices.ContainsFunc(p.got, func(m wire.Message) bool { return m.Progress != nil && m.Progress.Frame >= 4 })
	})
	p.send(wire.Message{Cancel: &wire.Cancel{Attempt: l.Attempt, Reason: "an operator has paused it", GiveBack: true}})
	m := p.report(l.Attempt)
	f := m.Failed
	if f == nil || !f.Cancelled || !f.Retry || f.Message != "Given back by machine 'test-machine': an operator has paused it" {
		t.Fatalf("got %s", describe(m))
	}
	if f.Done == nil || f.Output == nil || f.Done.Start != 2 || f.Done.End < 3 || f.Output.Frames != f.Done.Count() {
		t.Errorf("it keeps %+v\n%s", f, p.logged(l.Attempt))
	}
}
