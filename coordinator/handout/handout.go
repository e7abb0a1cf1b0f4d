// Package handout puts together what a machine is handed with a lease: the project, assets, fonts, files by hash, the values of secrets,
// which frames, and where the result goes.
package handout

import (
	"context"
	"strings"

	"overcrank/coordinator/cluster"
	"overcrank/coordinator/library"
	"overcrank/coordinator/private"
	"overcrank/coordinator/ranges"
	"overcrank/coordinator/state"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// Maker makes handouts. Its methods may be called at the same time.
type Maker struct {
	state     *state.State
	cluster   *cluster.Cluster
	templates *templates.Catalog
	secrets   *library.Secrets
	private   *private.Jobs
}

// New makes handouts from a farm's state, for private jobs with what they keep apart.
func New(s *state.State, c *cluster.Cluster, t *templates.Catalog, secrets *library.Secrets, p *private.Jobs) *Maker {
	return &Maker{state: s, cluster: c, templates: t, secrets: secrets, private: p}
}

// Of puts together all that an agent needs to run a leased task. never is why it renders all of a film, whatever other machines are free.
func (m *Maker) Of(ctx context.Context, t farm.Task, farmHasAfterEffects bool) (_ wire.Lease, never string, err error) {
	var template *farm.Template
	lease := wire.Lease{Attempt: wire.Attempt{Task: t.ID, Attempt: t.Attempt}, Job: t.Job, Kind: t.Kind}
	job, err := m.state.JobOf(farm.Principal{Team: t.Team}, t.Job)
	if err != nil {
		return wire.Lease{}, "", err
	}
	if job, err = m.private.Whole(ctx, job); err != nil {
		return wire.Lease{}, "", err
	}
	job = forTask(job, t)
	err = m.state.View(func(tx *raftstore.Tx) (err error) {
		if job.Template.ID != "" {
			found, err := tx.Template(job.Template.ID)
			if err != nil {
				return err
			}
			template = &found
		}
		if t.Kind == farm.TaskAssemble {
			if lease.Parts, lease.Files, err = partsOf(tx, t); err != nil {
				return err
			}
			lease.Secrets, err = m.secrets.For(tx, job, t.Agent)
			return err
		}
		if lease.Files, err = leaseFiles(tx, job); err != nil {
			return err
		}
		if lease.Assets, err = m.leaseAssets(tx, job, lease.Files); err != nil {
			return err
		}
		if err := m.nameResults(tx, job.Team, lease.Files, &job.Template.Src); err != nil {
			return err
		}
		if lease.Fonts, err = library.FontsFor(tx, job, template); err != nil {
			return err
		}
		lease.Secrets, err = m.secrets.For(tx, job, t.Agent)
		return err
	})
	if err != nil {
		return wire.Lease{}, "", err
	}
	lease.JobName = job.Name
	lease.Discard = job.Private
	lease.Composition = job.Template.Composition
	lease.Preview = job.Preview
	lease.Settings = job.Settings
	lease.Upload = job.Upload
	lease.Part, lease.Engine = t.Part, t.Engine
	if t.Frames != nil {
		lease.Settings.Frames = t.Frames
	}
	if !hasAfterEffects(t, farmHasAfterEffects) {
		lease.Settings.Engine = ""
	}
	if never, err = m.leaseFrames(ctx, &lease, job, t, template); err != nil {
		return wire.Lease{}, "", err
	}
	lease.Ahead = t.Kind == farm.TaskRender && (t.Part || lease.Parted)
	_, lease.Ext, _ = strings.Cut(job.OutputName, ".")
	switch {
	case job.Join:
		return lease, never, nil
	case template == nil:
		lease.Project = wire.Project{Src: job.Template.Src}
		return lease, never, nil
	case template.File == nil:
		return wire.Lease{}, "", farm.Errorf(farm.CodeInvalid, "Template %q has no file", template.DisplayName)
	}
	lease.Project = wire.Project{Type: template.Type, File: template.File}
	if job.Project != nil {
		lease.Project.File = job.Project
	}
	if lease.Composition == "" {
		lease.Composition, err = templates.OnlyComposition(*template, m.templates.SummaryFor(ctx))
	}
	return lease, never, err
}

// forTask is a job less what a task of it does not need: what is assembled was filled in before, and parts are not the result.
func forTask(job farm.Job, t farm.Task) farm.Job {
	if t.Kind == farm.TaskAssemble {
		job.Assets = nil
	}
	if t.Part {
		job.Upload = nil
	}
	return job
}

// leaseFrames says which single frames a task renders, and whether others may go on from what it leaves. never is as neverSplit says it.
func (m *Maker) leaseFrames(ctx context.Context, lease *wire.Lease, job farm.Job, t farm.Task, template *farm.Template) (never string, err error) {
	if t.Kind != farm.TaskSample && (t.Kind != farm.TaskRender || t.Part) {
		return "", nil
	}
	if t.Kind == farm.TaskRender && !ranges.MayPart(job, template) {
		return ranges.NeverSplit(t, job, template, false), nil
	}
	frames, known, err := m.templates.FramesOf(ctx, job, template)
	switch {
	case err != nil:
		return "", err
	case t.Kind == farm.TaskRender:
		lease.Parted = known
		return ranges.NeverSplit(t, job, template, known), nil
	case known:
		lease.Stills = ranges.Stills(frames)
	case job.Settings.Frames != nil:
		lease.Stills = ranges.Stills(*job.Settings.Frames)
	default:
		lease.Stills = []int{0}
	}
	return "", nil
}

// hasAfterEffects says whether a task is to be rendered by an After Effects, if there is one: all parts of a job are rendered
// by what the farm had when it was split.
func hasAfterEffects(t farm.Task, farmHas bool) bool {
	if t.Engine != "" {
		return t.Engine == farm.EngineAfterEffects
	}
	return farmHas
}
