package agent

import (
	"bytes"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"overcrank/agent/adobe"
	"overcrank/agent/presence"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/frames"
)

// peopled are the manners of a machine that somebody may come back to.
var peopled = Manners{Rules: presence.Rules{Programs: []string{"none-of-this-name"}}}

func TestAFilmWhoseFramesAreKeptIsThatOfAnyMachine(t *testing.T) {
	t.Parallel()
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
			if m := kept.Measured; m.Frames != 32 || m.FrameSeconds <= 0 {
				t.Errorf("measured %+v", m)
			}
		})
	}
}

// TestFramesOfAWholeFilmStayWhenItIsGivenBack: also those of a job that goes to storage which is not the farm's.
func TestFramesOfAWholeFilmStayWhenItIsGivenBack(t *testing.T) {
	t.Parallel()
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

// growthOf looks at a file of frames as it is now.
func growthOf(path string) (grown frames.Growth, err error) {
	in, err := os.Open(path)
	if err != nil {
		return grown, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return grown, err
	}
	return grown, grown.Look(in, info.Size())
}

func TestOnlyMachinesThatPeopleComeBackToTakeTheLongerWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules presence.Rules
		seen  presence.Sight
		want  bool
	}{
		"no rules":                      {presence.Rules{}, deskUsed, false},
		"input, and somebody logged in": {artist.Rules, deskLeft, true},
		"input that nobody can give":    {artist.Rules, presence.Sight{Session: presence.SessionNone}, false},
		"hours":                         {presence.Rules{Hours: []farm.Hours{{From: 60, To: 60}}}, presence.Sight{}, true},
		"an After Effects that somebody logged in may open": {presence.Rules{Untouched: adobe.Programs}, deskUsed, true},
		"an After Effects, and nobody to open it":           {presence.Rules{Untouched: adobe.Programs}, presence.Sight{Session: presence.SessionNone}, false},
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
