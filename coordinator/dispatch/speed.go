package dispatch

import (
	"sync"

	"overcrank/coordinator/forecast"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
)

// maxSpeeds is of how many compositions it is remembered how fast machines are. Beyond that all are read again as they come.
const maxSpeeds = 2000

// speeds is how long machines take for a frame of the compositions that wait to be rendered, as the state has it, where the
// queue can ask for it without reading.
type speeds struct {
	mu     sync.RWMutex
	frames map[string]map[string]float64 // seconds, by work and machine
}

func newSpeeds() *speeds { return &speeds{frames: map[string]map[string]float64{}} }

// of is how many seconds a frame of some work takes on a machine, 0 when that was never measured.
func (s *speeds) of(work, machine string) float64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.frames[work][machine]
}

// meet reads what was measured of a composition that has not been read yet.
func (s *speeds) meet(tx *raftstore.Tx, work schedule.Work, job farm.Job, template *farm.Template, farmHasAfterEffects bool) error {
	s.mu.RLock()
	_, known := s.frames[work.Name]
	s.mu.RUnlock()
	if known || template == nil {
		return nil
	}
	return s.learn(tx, work, job, *template, farmHasAfterEffects)
}

// learn reads what was measured of a job's composition.
func (s *speeds) learn(tx *raftstore.Tx, work schedule.Work, job farm.Job, template farm.Template, farmHasAfterEffects bool) error {
	machines, err := forecast.MachinesOf(tx, job, template, farmHasAfterEffects)
	if err != nil {
		return err
	}
	frames := make(map[string]float64, len(machines))
	for machine, timing := range machines {
		frames[machine] = float64(timing.Frame) / 1e6
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.frames) >= maxSpeeds {
		clear(s.frames)
	}
	s.frames[work.Name] = frames
	return nil
}

// relearn reads again what was measured of a job's composition, when one of its attempts has been measured.
func (l *leader) relearn(job farm.Job, m farm.Measured) {
	if !m.Usable() || job.Template.ID == "" {
		return
	}
	adobe := l.hasAfterEffects()
	err := l.d.state.View(func(tx *raftstore.Tx) error {
		template, err := tx.Template(job.Template.ID)
		if err != nil {
			return err
		}
		template = template.RenderedBy(job)
		return l.speeds.learn(tx, workOf(job, &template), job, template, adobe)
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		l.d.log.Error("reading how fast machines are", "job", job.ID, "error", err)
	}
}
