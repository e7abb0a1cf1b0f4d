package aerender

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strings"

	"overcrank/aep"
	"overcrank/engine/render"
)

// Still is one frame of a composition, to be drawn into a file without aerender's lines.
type Still struct {
	Project string // path of the project
	Folder  string // the only folder that is read; it holds the project
	// Choose chooses the composition, and the frame of it, from 0.
	Choose func(p *aep.Project) (comp *aep.Item, frame int, err error)
	// Fill gives the script that changes the project before the composition is drawn; nil changes nothing.
	Fill  func(composition string) (script string, err error)
	Scale float64 // 1 full size
	// Output is the file for a composition; its ending says what is written: .png, .jpg, .tif.
	Output func(composition string) string
	Warn   func(text string)
	// GiveUp ends the program when drawing takes more memory than it may and does not stop.
	GiveUp func(error)
}

// Drawn is a frame that was drawn.
type Drawn struct {
	Path, Comp    string
	Frame         int
	Time          float64 // seconds
	Width, Height int     // pixels
}

// Draw draws the frame. Footage that is missing is a warning.
func (s Still) Draw(ctx context.Context) (d Drawn, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the engine failed: %v\n%s", r, debug.Stack())
		}
	}()
	defer debug.SetGCPercent(debug.SetGCPercent(render.CollectAt))
	guarded, stop := guardMemory(ctx, memoryLimit(0), s.GiveUp)
	defer stop()
	d, err = s.draw(guarded)
	if cause := context.Cause(guarded); err != nil && cause != nil {
		err = cause
	}
	return d, err
}

func (s Still) draw(ctx context.Context) (Drawn, error) {
	out := &lines{warnings: map[string]bool{}, hear: s.Warn}
	j, err := open(ctx, nil, out, flags{
		project: s.Project, folder: s.Folder, step: 1, renderSettings: "Best Settings", skipMissing: true,
	})
	if err != nil {
		return Drawn{}, err
	}
	item, n, err := s.Choose(j.project)
	if err != nil {
		return Drawn{}, err
	}
	if err := s.fill(ctx, j, item.Name); err != nil {
		return Drawn{}, err
	}
	c := item.Comp
	j.flags.comp, j.flags.output, j.flags.stills = item.Name, s.Output(item.Name), []int{n + int(math.Round(c.DisplayStart*c.FrameRate))}
	if err := j.prepare(ctx); err != nil {
		return Drawn{}, err
	}
	j.settings.scale = s.Scale
	if err := j.render(ctx); err != nil {
		return Drawn{}, err
	}
	w, h := render.Size(c, s.Scale)
	return Drawn{Path: j.name.File(j.flags.stills[0]), Comp: item.Name, Frame: n, Time: render.FrameTime(c, n), Width: w, Height: h}, nil
}

func (s Still) fill(ctx context.Context, j *job, composition string) error {
	if s.Fill == nil {
		return nil
	}
	script, err := s.Fill(composition)
	if err != nil {
		return err
	}
	j.flags.script = scriptInput
	return j.runScript(ctx, strings.NewReader(script))
}
