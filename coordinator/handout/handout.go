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

// Handout is what a machine is handed with a lease.
type Handout struct {
	Lease  wire.Lease
	Never  farm.Text // why the machine renders all of a film, whatever others are free; zero when others may help, and when that is no question
	Nested bool      // the job is nested in another
}

// Of puts together all that an agent needs to run a leased task of a job. What job points to is only read.
func (m *Maker) Of(ctx context.Context, t farm.Task, job farm.Job, farmHasAfterEffects bool) (Handout, error) {
	job, err := m.private.Whole(ctx, job)
	if err != nil {
		return Handout{}, err
	}
	job = forTask(job, t)
	made := Handout{Nested: job.Parent != "", Lease: wire.Lease{
		Attempt: wire.Attempt{Task: t.ID, Attempt: t.Attempt}, Job: t.Job, JobName: job.Name, Kind: t.Kind, Part: t.Part, Engine: t.Engine,
		Preview: job.Preview, Discard: job.Private, Settings: job.Settings, Upload: job.Upload,
	}}
	lease := &made.Lease
	var template *farm.Template
	err = m.state.View(func(tx *raftstore.Tx) (err error) {
		template, err = m.read(tx, lease, &job, t)
		return err
	})
	if err != nil {
		return Handout{}, err
	}
	if t.Frames != nil {
		lease.Settings.Frames = t.Frames
	}
	if !hasAfterEffects(t, farmHasAfterEffects) {
		lease.Settings.Engine = ""
	}
	if made.Never, err = m.leaseFrames(ctx, lease, job, t, template); err != nil {
		return Handout{}, err
	}
	lease.Ahead = t.Kind == farm.TaskRender && (t.Part || lease.Parted)
	_, lease.Ext, _ = strings.Cut(job.OutputName, ".")
	lease.Proxy = wantsProxy(job, t, lease.Ext)
	lease.Composition = job.Template.Composition
	err = m.nameProject(ctx, lease, job, template)
	return made, err
}

// Stored are those of some jobs of which something has to be read from the farm's storage to put a handout together, by id: what private ones keep to
// themselves, and what was read of a template that is not in memory.
func (m *Maker) Stored(jobs []*farm.Job) (stored map[string]bool, err error) {
	stored = map[string]bool{}
	err = m.state.View(func(tx *raftstore.Tx) error {
		var template farm.Template // that of the job before, most often
		for _, job := range jobs {
			if job.Private {
				stored[job.ID] = true
			}
			if job.Private || job.Template.ID == "" {
				continue
			}
			if template.ID != job.Template.ID {
				if template, err = tx.Template(job.Template.ID); farm.CodeOf(err) == farm.CodeNotFound {
					continue
				} else if err != nil {
					return err
				}
			}
			if as := template.RenderedBy(*job); as.Introspection != nil && !m.templates.InMemory(*as.Introspection) {
				stored[job.ID] = true
			}
		}
		return nil
	})
	return stored, err
}

// read adds what only the state knows: files, assets, fonts and the values of secrets. It gives the job's template as the job renders it,
// nil when it has none.
func (m *Maker) read(tx *raftstore.Tx, lease *wire.Lease, job *farm.Job, t farm.Task) (template *farm.Template, err error) {
	if job.Template.ID != "" {
		found, err := tx.Template(job.Template.ID)
		if err != nil {
			return nil, err
		}
		found = found.RenderedBy(*job)
		template = &found
	}
	if t.Kind == farm.TaskAssemble {
		lease.Parts, lease.Files, err = partsOf(tx, t)
	} else {
		err = m.readFiles(tx, lease, job, template)
	}
	if err == nil {
		lease.Secrets, err = m.secrets.For(tx, *job, t.Agent)
	}
	return template, err
}

// nameProject says which project is opened, and which composition of it is rendered. Clips that are joined have none.
func (m *Maker) nameProject(ctx context.Context, lease *wire.Lease, job farm.Job, template *farm.Template) (err error) {
	switch {
	case job.Join:
		return nil
	case template == nil:
		lease.Project = wire.Project{Src: job.Template.Src}
		return nil
	case template.File == nil:
		return farm.Errorf(farm.CodeInvalid, "Template %q has no file", template.DisplayName).OfCause(farm.CauseTemplate, template.ID)
	}
	lease.Project = wire.Project{Type: template.FileType(), File: template.File}
	if lease.Composition == "" {
		lease.Composition, err = templates.OnlyComposition(*template, m.templates.SummaryFor(ctx))
	}
	return err
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

// leaseFrames says which single frames a task renders, and whether others may go on from what it leaves. never is as ranges.NeverSplit says it.
func (m *Maker) leaseFrames(ctx context.Context, lease *wire.Lease, job farm.Job, t farm.Task, template *farm.Template) (never farm.Text, err error) {
	if t.Kind != farm.TaskSample && (t.Kind != farm.TaskRender || t.Part) {
		return never, nil
	}
	if t.Kind == farm.TaskRender && !ranges.MayPart(job, template) {
		return ranges.NeverSplit(t, job, template, false), nil
	}
	frames, known, err := m.templates.FramesOf(ctx, job, template)
	switch {
	case err != nil:
		return never, err
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
	return never, nil
}

// wantsProxy says whether a task makes a result that people look at and browsers do not play. Of what goes to storage
// elsewhere the farm keeps no copy.
func wantsProxy(job farm.Job, t farm.Task, ext string) bool {
	if t.Part || job.Upload != nil || job.Parent != "" {
		return false
	}
	return ext == "mov" || ext == "zip" && job.Settings.Type == "image"
}

// hasAfterEffects says whether a task is to be rendered by an After Effects, if there is one: all parts of a job are rendered
// by what the farm had when it was split.
func hasAfterEffects(t farm.Task, farmHas bool) bool {
	if t.Engine != "" {
		return t.Engine == farm.EngineAfterEffects
	}
	return farmHas
}
