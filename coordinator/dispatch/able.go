package dispatch

import (
	"context"

	"overcrank/coordinator/peers"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
)

// ableNamed is how many of the machines are named that could render a template.
const ableNamed = 12

// Able is which machines could render a template.
type Able struct {
	Placement farm.Placement   `json:"placement"` // of a job of it that asks for nothing else
	Machines  []farm.NearAgent `json:"machines"`  // some of those that fit, by name
}

type ableAsked struct {
	Team     string   `json:"team"`
	Template string   `json:"template"`
	Fonts    []string `json:"fonts"` // that a machine has to bring
}

// AbleTo says which machines could render a template of the caller's team, given the fonts that the team's library does not bring. ok is false while
// nobody can say.
func (d *Dispatcher) AbleTo(ctx context.Context, p farm.Principal, template string, fonts []string) (able Able, ok bool, err error) {
	if err := p.May(farm.ActView); err != nil {
		return able, false, err
	}
	able, err = peers.AskLeader(ctx, d.peers, askAble, ableAsked{Team: p.Team, Template: template, Fonts: fonts})
	if farm.CodeOf(err) == farm.CodeUnavailable {
		return able, false, nil
	}
	return able, err == nil, err
}

func (l *leader) ableTo(ctx context.Context, asked ableAsked) (able Able, err error) {
	if err := l.queueRead(ctx); err != nil {
		return able, err
	}
	var template farm.Template
	err = l.d.state.View(func(tx *raftstore.Tx) (err error) {
		template, err = tx.Template(asked.Template)
		return err
	})
	if err != nil {
		return able, err
	}
	if template.Team != asked.Team {
		return able, farm.Errorf(farm.CodeNotFound, "there is no template %q", asked.Template)
	}
	now := l.d.state.Now()
	job := farm.Job{Team: asked.Team, Template: farm.JobTemplate{ID: template.ID}, MissingFonts: asked.Fonts}
	task := schedule.Task{Team: asked.Team, Created: now, Need: schedule.NeedOf(job, &template, farm.Task{Kind: farm.TaskRender})}
	l.mu.Lock()
	defer l.mu.Unlock()
	able.Placement, able.Machines = l.queue.Fits(task, now, ableNamed)
	return able, nil
}
