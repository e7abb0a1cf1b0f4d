package agent

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/agent/presence"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/frames"
)

// peopled are the manners of a machine that somebody may come back to.
var peopled = Manners{Rules: presence.Rules{Programs: []string{"none-of-this-name"}}}

func TestAFilmWhoseFramesAreKeptIsThatOfAnyMachine(t *testing.T) {
	needFFmpeg(t)
	for _, ext := range []string{"mp4", "zip"} {
		t.Run(ext, func(t *testing.T) {
			p := newPeer(t)
			start(t, p, "", t.TempDir())
			l := moving(t, p, "plain.1", "", ext)
			plain, want := finished(t, p, l)

			q := newPeer(t)
			startAtDesk(t, q, "", &shownDesk{}, peopled)
			l = moving(t, q, "kept.1", "", ext)
			l.Parted = true
			kept, got := finished(t, q, l)
			if log := q.logged(l.Attempt); !strings.Contains(log, "putting 32 frames together") {
				t.Errorf("frames were not kept:\n%s", log)
			}
			if ext == "zip" {
				if a, b := entries(t, want), entries(t, got); a != b {
					t.Errorf("pictures\n%swhose frames are kept are\n%s", a, b)
				}
				return
			}
			if !bytes.Equal(want, got) || kept.Output.Frames != plain.Output.Frames || kept.Output.Audio != plain.Output.Audio {
				t.Errorf("the films differ: %d and %d bytes, %+v and %+v", len(want), len(got), plain.Output, kept.Output)
			}
			if m := kept.Measured; m.Frames != 32 || m.StartSeconds <= 0 || m.FrameSeconds <= 0 {
				t.Errorf("measured %+v", m)
			}
		})
	}
}

// TestFramesOfAWholeFilmStayWhenItIsGivenBack: also those of a job that goes to storage which is not the farm's.
func TestFramesOfAWholeFilmStayWhenItIsGivenBack(t *testing.T) {
	needFFmpeg(t)
	p, desk := newPeer(t), &shownDesk{}
	startAtDesk(t, p, "", desk, peopled)
	l := endless(t, p, "whole.1")
	l.Parted, l.Upload = true, &farm.Upload{}
	p.send(wire.Message{Lease: &l})
	p.eventually("some frames to be done", func() bool {
		return slices.ContainsFunc(p.got, func(m wire.Message) bool { return m.Progress != nil && m.Progress.Frame >= 4 })
	})
	desk.show(presence.Sight{Processes: []presence.Process{{PID: 1, Name: "none-of-this-name"}}})
	f := p.report(l.Attempt).Failed
	if f == nil || !f.Cancelled || f.Done == nil || f.Output == nil || f.Done.Start != 2 || f.Done.End < 3 || f.Done.End > 90_000 || f.Output.Frames != f.Done.Count() {
		t.Fatalf("%+v\n%s", f, p.logged(l.Attempt))
	}
	p.mu.Lock()
	b := p.outputs[f.Output.Key]
	p.mu.Unlock()
	r, err := frames.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if number, _, err := r.Next(); err != nil || number != 2 {
		t.Errorf("frame %d, %v", number, err)
	}
}

// TestTheFarmKeepsNoMoreThanTheBeginningOfAFilm: the last frame stays to be rendered, so that there is a task to go on with.
func TestTheFarmKeepsNoMoreThanTheBeginningOfAFilm(t *testing.T) {
	needFFmpeg(t)
	p := newPeer(t)
	start(t, p, "", t.TempDir())
	l := moving(t, p, "range.1", "", "mp4")
	l.Part = true
	_, b := finished(t, p, l)
	whole, err := growthOf(t, b)
	if err != nil || whole.Last != 33 {
		t.Fatalf("%+v, %v", whole, err)
	}
	path := writeFile(t, b)
	less, err := growthWithin(path, whole.End-1)
	if err != nil || less.First != 2 || less.Last != 32 || less.End >= whole.End {
		t.Errorf("%+v, %v", less, err)
	}
}

func growthOf(t *testing.T, b []byte) (frames.Growth, error) {
	t.Helper()
	grown, _, err := growth(writeFile(t, b))
	return grown, err
}

func TestOnlyMachinesThatPeopleComeBackToTakeTheLongerWay(t *testing.T) {
	for name, c := range map[string]struct {
		rules presence.Rules
		seen  presence.Sight
		want  bool
	}{
		"no rules":                      {presence.Rules{}, deskUsed, false},
		"input, and somebody logged in": {artist.Rules, deskLeft, true},
		"input that nobody can give":    {artist.Rules, presence.Sight{Session: presence.SessionNone}, false},
		"hours":                         {presence.Rules{Hours: []farm.Hours{{From: 60, To: 60}}}, presence.Sight{}, true},
		"an After Effects that somebody logged in may open": {presence.Rules{Untouched: afterEffectsPrograms}, deskUsed, true},
		"an After Effects, and nobody to open it":           {presence.Rules{Untouched: afterEffectsPrograms}, presence.Sight{Session: presence.SessionNone}, false},
	} {
		desk := &shownDesk{}
		desk.show(c.seen)
		w := presence.NewWatch(desk, c.rules, presence.Pause{}, slog.New(slog.DiscardHandler))
		w.Look(t.Context())
		if w.SomebodyMayCome(t.Context()) != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}

// writeFile puts a file somewhere.
func writeFile(t *testing.T, b []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
