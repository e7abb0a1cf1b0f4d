package dispatch

import (
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/tables"
)

// tempo is what is known of how long a job's work takes.
type tempo struct {
	engine   string
	render   farm.Timing // of all machines together
	assemble farm.Timing
}

// What is assumed of a composition that was never measured, in seconds.
const (
	guessedFrame      = 0.1 // drawn by the embedded engine
	guessedStart      = 0.5
	guessedAdobeFrame = 0.5
	guessedAdobeStart = 8.0
)

// tempoOf reads what was measured of a job's composition.
func tempoOf(tx *raftstore.Tx, job farm.Job, template farm.Template, farmHasAfterEffects bool) (p tempo, err error) {
	p.engine = engineOf(job, farmHasAfterEffects)
	if key, kept := tables.TimingKeyOf(job, template, farm.TaskRender, p.engine); kept {
		if p.render, err = tx.Timing(key); err != nil {
			return p, err
		}
	}
	if key, kept := tables.TimingKeyOf(job, template, farm.TaskAssemble, ""); kept {
		p.assemble, err = tx.Timing(key)
	}
	return p, err
}

// machinesOf reads what was measured of a job's composition on each machine.
func machinesOf(tx *raftstore.Tx, job farm.Job, template farm.Template, farmHasAfterEffects bool) (map[string]farm.Timing, error) {
	key, kept := tables.TimingKeyOf(job, template, farm.TaskRender, engineOf(job, farmHasAfterEffects))
	if !kept {
		return nil, nil
	}
	_, machines, err := tx.Timings(key)
	return machines, err
}

// engineOf is the kind of engine that renders a job.
func engineOf(job farm.Job, farmHasAfterEffects bool) string {
	if farmHasAfterEffects && !job.Preview {
		return farm.EngineAfterEffects
	}
	return farm.EngineEmbedded
}

// frame is how long a frame takes, in seconds.
func (p tempo) frame() float64 {
	switch {
	case p.render.Frame > 0:
		return float64(p.render.Frame) / 1e6
	case p.engine == farm.EngineAfterEffects:
		return guessedAdobeFrame
	default:
		return guessedFrame
	}
}

// start is how long an engine takes before its first frame, in seconds.
func (p tempo) start() float64 {
	switch {
	case p.render.Start > 0:
		return float64(p.render.Start) / 1e6
	case p.engine == farm.EngineAfterEffects:
		return guessedAdobeStart
	default:
		return guessedStart
	}
}

// assembleFrame is how long a frame takes to be put together with the others, in seconds; 0 when that was never measured.
func (p tempo) assembleFrame() float64 { return float64(p.assemble.Frame) / 1e6 }
