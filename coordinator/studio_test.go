package coordinator_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// studio is a farm of several machines, and a template of 100 frames.
type studio struct {
	*rig
	template string
	stations []*station
}

func openStudio(t testing.TB, machines int) *studio {
	t.Helper()
	s := &studio{rig: open(t)}
	s.template = s.uploaded(project(t, []string{"main"})).ID
	for i := range machines {
		mac := s.enrol(fmt.Sprintf("mac%d", i))
		mac.connect()
		s.stations = append(s.stations, mac)
	}
	return s
}

func (s *studio) film(edit ...func(*farm.Job)) farm.Job {
	s.t.Helper()
	return s.submit(append([]func(*farm.Job){func(j *farm.Job) { j.Template = farm.JobTemplate{ID: s.template} }}, edit...)...)
}

// held is a lease in the hands of a station.
type held struct {
	*station
	wire.Lease
}

// leases are what the stations get, each its next.
func (s *studio) leases(stations ...*station) (all []held) {
	s.t.Helper()
	for _, mac := range stations {
		all = append(all, held{mac, mac.lease()})
	}
	slices.SortFunc(all, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), a.frames().Start-b.frames().Start)
	})
	return all
}

func (h held) frames() farm.Frames {
	if h.Settings.Frames == nil {
		return farm.Frames{}
	}
	return *h.Settings.Frames
}

// part uploads frames or sound for a lease.
func (h held) part(frames farm.Frames) farm.OutputRef {
	h.r.t.Helper()
	content := fmt.Sprintf("%s %d-%d of %s", h.Kind, frames.Start, frames.End, h.Task)
	out := h.render(h.Lease, content)
	out.Frames, out.Audio = frames.Count(), h.Kind == farm.TaskSound
	return out
}

// through waits until the farm has the report of a lease. The next lease may come before the word of that.
func (h held) through() {
	h.r.t.Helper()
	var early []wire.Message
	for {
		m := h.hear()
		if m.Settled != nil && m.Settled.Attempt == h.Attempt {
			break
		}
		early = append(early, m)
	}
	for _, m := range early {
		h.toAgent <- m
	}
}

// done finishes a part.
func (h held) done() {
	h.r.t.Helper()
	h.say(wire.Message{Finished: &wire.Finished{Attempt: h.Attempt, Output: h.part(h.frames()), Measured: farm.Measured{
		Engine: "embedded 1", StartSeconds: 0.5, Frames: h.frames().Count(), FrameSeconds: float64(h.frames().Count()),
	}}})
	h.through()
}

// result uploads and reports the result of a lease.
func (h held) result(content string) {
	h.r.t.Helper()
	h.say(wire.Message{Finished: &wire.Finished{Attempt: h.Attempt, Output: h.render(h.Lease, content)}})
	h.through()
}

// covers makes sure that parts hold each of some frames, and that an agent can read them.
func (h held) covers(frames farm.Frames) {
	h.r.t.Helper()
	held := map[int]bool{}
	sound := false
	for _, p := range h.Parts {
		ref, named := h.Files[p.Src]
		if !named {
			h.r.t.Errorf("the lease names no file for %s", p.Src)
		}
		if got := h.fetch(ref.SHA256); !strings.HasPrefix(got, fmt.Sprintf("%s %d-%d", p.Kind, p.Frames.Start, p.Frames.End)) {
			h.r.t.Errorf("part %s of frames %v reads %q", p.Src, p.Frames, got)
		}
		sound = sound || p.Kind == farm.TaskSound
		for i := p.Frames.Start; p.Kind == farm.TaskRender && i <= p.Frames.End; i++ {
			held[i] = true
		}
	}
	if len(held) != frames.Count() || !held[frames.Start] || !held[frames.End] || !sound {
		h.r.t.Errorf("the parts hold %d of the frames %v, sound: %v", len(held), frames, sound)
	}
}

// attemptFiles are the files that attempts have left.
func (s *studio) attemptFiles() (list []string) {
	_ = filepath.WalkDir(filepath.Join(s.cfg.DataDir, "files", "attempts"), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, path)
		}
		return nil
	})
	return list
}
