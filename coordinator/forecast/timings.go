package forecast

import (
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/tables"
)

// Timings is how long the work on a job's composition takes, as measured.
type Timings struct {
	Engine   string
	Render   farm.Timing // of all machines together
	Assemble farm.Timing
}

// Assumptions for a composition that was never measured, in seconds.
const (
	guessedFrame      = 0.1 // drawn by the embedded engine
	guessedStart      = 0.5
	guessedAdobeFrame = 0.5
	guessedAdobeStart = 8.0
)

// TimingsOf reads the timings of a job's composition.
func TimingsOf(tx *raftstore.Tx, job farm.Job, template farm.Template, farmHasAfterEffects bool) (t Timings, err error) {
	t.Engine = EngineOf(job, farmHasAfterEffects)
	if key, kept := tables.TimingKeyOf(job, template, farm.TaskRender, t.Engine); kept {
		if t.Render, err = tx.Timing(key); err != nil {
			return t, err
		}
	}
	if key, kept := tables.TimingKeyOf(job, template, farm.TaskAssemble, ""); kept {
		t.Assemble, err = tx.Timing(key)
	}
	return t, err
}

// MachinesOf reads the render timings of a job's composition by machine.
func MachinesOf(tx *raftstore.Tx, job farm.Job, template farm.Template, farmHasAfterEffects bool) (map[string]farm.Timing, error) {
	key, kept := tables.TimingKeyOf(job, template, farm.TaskRender, EngineOf(job, farmHasAfterEffects))
	if !kept {
		return nil, nil
	}
	_, machines, err := tx.Timings(key)
	return machines, err
}

// EngineOf is the kind of engine that renders a job.
func EngineOf(job farm.Job, farmHasAfterEffects bool) string {
	if farmHasAfterEffects && !job.Preview {
		return farm.EngineAfterEffects
	}
	return farm.EngineEmbedded
}

// Frame is how long a frame takes, in seconds.
func (t Timings) Frame() float64 {
	switch {
	case t.Render.Frame > 0:
		return float64(t.Render.Frame) / 1e6
	case t.Engine == farm.EngineAfterEffects:
		return guessedAdobeFrame
	default:
		return guessedFrame
	}
}

// Start is how long an engine takes until its first frame, in seconds.
func (t Timings) Start() float64 {
	switch {
	case t.Render.Start > 0:
		return float64(t.Render.Start) / 1e6
	case t.Engine == farm.EngineAfterEffects:
		return guessedAdobeStart
	default:
		return guessedStart
	}
}

// AssembleFrame is how long it takes to assemble a frame, in seconds; 0 when never measured.
func (t Timings) AssembleFrame() float64 { return float64(t.Assemble.Frame) / 1e6 }
