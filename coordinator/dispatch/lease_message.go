package dispatch

import (
	"context"
	"slices"
	"strings"

	"overcrank/coordinator/library"
	"overcrank/coordinator/ranges"
	"overcrank/coordinator/results"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// leaseOf puts together all that an agent needs to run a task. never is why it renders all of a film, whatever other machines are free.
func (d *Dispatcher) leaseOf(ctx context.Context, t farm.Task, farmHasAfterEffects bool) (_ wire.Lease, never string, err error) {
	var job farm.Job
	var template *farm.Template
	lease := wire.Lease{Attempt: wire.Attempt{Task: t.ID, Attempt: t.Attempt}, Job: t.Job, Kind: t.Kind}
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.Job(t.Job)
		return err
	})
	if err != nil {
		return wire.Lease{}, "", err
	}
	if job, err = d.private.Whole(ctx, job); err != nil {
		return wire.Lease{}, "", err
	}
	job = forTask(job, t)
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
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
			lease.Secrets, err = d.secrets.For(tx, job, t.Agent)
			return err
		}
		if lease.Files, err = leaseFiles(tx, job); err != nil {
			return err
		}
		if lease.Assets, err = d.leaseAssets(tx, job, lease.Files); err != nil {
			return err
		}
		if err := d.resultsNamed(tx, job.Team, lease.Files, &job.Template.Src); err != nil {
			return err
		}
		if lease.Fonts, err = library.FontsFor(tx, job, template); err != nil {
			return err
		}
		lease.Secrets, err = d.secrets.For(tx, job, t.Agent)
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
	if never, err = d.leaseFrames(ctx, &lease, job, t, template); err != nil {
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
		lease.Composition, err = templates.OnlyComposition(*template, d.templates.SummaryFor(ctx))
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
func (d *Dispatcher) leaseFrames(ctx context.Context, lease *wire.Lease, job farm.Job, t farm.Task, template *farm.Template) (never string, err error) {
	if t.Kind != farm.TaskSample && (t.Kind != farm.TaskRender || t.Part) {
		return "", nil
	}
	if t.Kind == farm.TaskRender && !ranges.MayPart(job, template) {
		return ranges.NeverSplit(t, job, template, false), nil
	}
	frames, known, err := d.framesOf(ctx, job, template)
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

// leaseFiles finds the stored files that a job names.
func leaseFiles(tx *raftstore.Tx, job farm.Job) (map[string]farm.FileRef, error) {
	found := map[string]farm.FileRef{}
	for _, sha256 := range job.KeptFiles() {
		src := farm.KeptScheme + sha256
		file, err := tx.File(job.Team, sha256)
		if farm.CodeOf(err) == farm.CodeNotFound {
			return nil, farm.Errorf(farm.CodeGone, "Asset failed to download (410): %s has expired", src)
		}
		if err != nil {
			return nil, err
		}
		found[src] = file.FileRef
	}
	return found, nil
}

// leaseAssets puts the results of nested jobs in the place of the assets that asked for them, and the farm's own name of a result in
// the place of its address; their files go into files.
func (d *Dispatcher) leaseAssets(tx *raftstore.Tx, job farm.Job, files map[string]farm.FileRef) ([]farm.Asset, error) {
	assets := slices.Clone(job.Assets)
	srcs := make([]*string, len(assets))
	for i := range assets {
		srcs[i] = &assets[i].Src
	}
	if err := d.resultsNamed(tx, job.Team, files, srcs...); err != nil || len(job.Children) == 0 {
		return assets, err
	}
	for i := range assets {
		asset := &assets[i]
		if asset.Child == "" {
			continue
		}
		child, err := tx.Job(asset.Child)
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
			return nil, err
		}
		if err != nil || child.Output == nil {
			return nil, farm.Errorf(farm.CodeGone, "Asset failed to download (410): the nested job %s has no result", asset.Child)
		}
		asset.Type, asset.Src, asset.Child = "video", nameResult(files, child), ""
		if child.Settings.Type == "image" {
			asset.Type = "image"
		}
	}
	return assets, nil
}

// resultsNamed lets an agent have results of the team by itself that a lease names by the addresses under which callers know them: of
// the farm's addresses it may reach none, or be asked there for a token that it does not have. srcs that name one become those of
// the lease, and the results' files go into files.
func (d *Dispatcher) resultsNamed(tx *raftstore.Tx, team string, files map[string]farm.FileRef, srcs ...*string) error {
	srcs = slices.DeleteFunc(srcs, func(src *string) bool {
		_, _, is := results.SplitAddress(*src)
		return !is
	})
	if len(srcs) == 0 {
		return nil
	}
	bases, err := d.cluster.BaseAddresses(tx)
	if err != nil {
		return err
	}
	for _, src := range srcs {
		base, name, _ := results.SplitAddress(*src)
		if !slices.Contains(bases, base) {
			continue
		}
		job, err := tx.JobByOutput(name)
		switch {
		case farm.CodeOf(err) == farm.CodeNotFound:
			continue
		case err != nil:
			return err
		case job.Team == team && job.Output != nil && job.Output.Remote == nil && job.Output.GoneAt.IsZero():
			*src = nameResult(files, job)
		}
	}
	return nil
}

// nameResult puts a job's result among the files of a lease and gives the address by which the lease names it.
func nameResult(files map[string]farm.FileRef, job farm.Job) string {
	ref := job.Output.FileRef
	ref.Name = job.OutputName
	src := farm.ResultScheme + job.ID
	files[src] = ref
	return src
}
