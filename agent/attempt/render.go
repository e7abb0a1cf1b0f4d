package attempt

import (
	"context"
	"path/filepath"

	"overcrank/agent/aerender"
	"overcrank/agent/film"
	"overcrank/agent/script"
	"overcrank/farm"
)

// result is a validated file, ready to be delivered.
type result struct {
	path string
	info film.Info
	kind string // media type
	// thumbs are small pictures by frame, counted from the result's first; nil when none were made.
	thumbs map[int]string
	stills []string // the pictures of a sequence, in order, and how many of them there are in a second
	rate   float64
}

// engine renders one scene. It is opened once in an attempt.
type engine interface {
	// render writes what a plan asks for, and checks it.
	render(ctx context.Context, p plan) (result, error)
	// save writes the project with the assets in it, and gives its path.
	save(ctx context.Context) (string, error)
	// close lets other tasks use the engine. Closing again does nothing.
	close()
}

func (t *attempt) open(ctx context.Context, s scene) (engine, error) {
	if s.engine.Kind == farm.EngineAfterEffects {
		return t.openAfterEffects(ctx, s)
	}
	return &embedded{t, s}, nil
}

// render opens the engine and takes one of the ways in which a scene becomes a result.
func (t *attempt) render(ctx context.Context, s scene, p plan) (product, error) {
	e, err := t.open(ctx, s)
	if err != nil {
		return product{}, err
	}
	defer e.close()
	switch {
	case t.lease.Settings.Type == "aep":
		made, err := t.saveProject(ctx, e, s.project)
		return product{result: made}, err
	case t.lease.Kind == farm.TaskSample:
		made, err := t.renderSamples(ctx, e, p)
		return product{result: made}, err
	case p.part:
		return t.renderRange(ctx, e, p)
	case t.mayKeepFrames(ctx, s, p):
		return t.renderByFrames(ctx, e, p)
	}
	made, err := e.render(ctx, p)
	return product{result: made}, err
}

// request is what a run of an engine has of the scene and the plan.
func (t *attempt) request(s scene, p plan) aerender.Request {
	start, end := p.bounds()
	return aerender.Request{
		Dir: t.dir, Project: s.project.Path, Composition: s.project.Composition,
		RenderSettings: t.renderSettings(s), BarsForMissing: t.lease.Settings.MissingFootage == farm.FootageBars, Start: start, End: end, Stills: p.only, Frames: p.frames,
		Limits: t.machine.Limits, Wall: t.machine.TaskTime, Lower: t.machine.Lowered(), OnLine: t.hear,
		OnProgress: func(now aerender.Progress) {
			t.watch.rendered(now.Done, now.Frame)
			t.feed.at("rendering", now.Percent/100, now.Frame, now.Total)
		},
	}
}

// renderSettings is the template of render settings that fits the job.
func (t *attempt) renderSettings(s scene) string {
	quality := t.lease.Settings.Quality
	for _, a := range s.assets {
		if a.Type == "function" {
			if q := script.PreviewQuality(a.Name, a.Params); q != "" {
				quality = q
			}
		}
	}
	switch {
	case t.lease.Preview && s.engine.Kind == farm.EngineEmbedded:
		return aerender.PreviewSettings
	case t.lease.Preview || quality == "draft":
		return aerender.DraftSettings
	}
	return aerender.BestSettings
}

// stillsPrefix begins the names of the stills that an engine writes.
const stillsPrefix = "frame_"

// output is where what a plan asks for is written. A row of # stands for the number of a still.
func (t *attempt) output(p plan) string {
	name := "film." + p.ext
	switch {
	case p.sound:
		name = soundName
	case p.part:
		name = partName
	case p.stills:
		name = stillsPrefix + "[#####]." + p.ext
	}
	return filepath.Join(t.dir, "out", name)
}
