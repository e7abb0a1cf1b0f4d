// Package previewing is the process in which this program draws frames of a project that anybody may have made; see package preview. It lays
// the project out and applies assets by the code with which agents do, and draws with the embedded engine.
package previewing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"overcrank/agent/film"
	"overcrank/agent/project"
	"overcrank/agent/script"
	"overcrank/cmd/overcrank/process"
	"overcrank/coordinator/preview"
	"overcrank/durable"
	"overcrank/engine/aerender"
	"overcrank/engine/render"
	"overcrank/farm"
)

// Argument makes the program draw previews of one project until its input ends.
const Argument = "draw-previews"

const (
	// quality of the pictures: a JPEG's, of 100.
	quality = 85
	// footageShare is how much of the process's memory pictures from files may take.
	footageShare = 4
)

// Main is that process.
func Main(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	debug.SetGCPercent(render.CollectAt)
	return preview.Main(ctx, stdin, stdout, func(ctx context.Context, o preview.Opening) preview.Stage {
		return &stage{ctx: ctx, opening: o}
	})
}

// Program is this program with the argument that makes it call Main, for a preview.Room.
func Program() ([]string, error) {
	self, err := process.Itself()
	if err != nil {
		return nil, err
	}
	return []string{self, Argument}, nil
}

// stage implements preview.Stage.
type stage struct {
	ctx     context.Context // of what is done for all frames: it does not end with the request that began it
	opening preview.Opening
	layout  *project.Layout  // nil until the project has been laid out
	project *project.Project // opened for the composition of the last frame; nil before the first
	engine  *aerender.Stage
	failed  error // why the project could not be laid out
}

// Draw implements preview.Stage.
func (s *stage) Draw(ctx context.Context, shot preview.Shot) (preview.Picture, error) {
	if err := s.layOut(shot.Composition); err != nil {
		return preview.Picture{}, refusal(err)
	}
	assets, notes := s.assets(shot)
	text := ""
	if len(assets) > 0 {
		var err error
		if text, err = script.Build(script.Input{Composition: s.project.Composition, Assets: assets}); err != nil {
			return preview.Picture{}, refusal(err)
		}
	}
	out := preview.Picture{}
	wanted := aerender.Shot{Composition: s.project.Composition, Script: text, Frame: shot.Frame, Time: shot.Time, Width: shot.Width}
	err := s.engine.Draw(ctx, wanted, func(v aerender.View) error {
		var jpg bytes.Buffer
		if err := jpeg.Encode(&jpg, v.Picture, &jpeg.Options{Quality: quality}); err != nil {
			return fmt.Errorf("encoding a preview: %w", err)
		}
		out = preview.Picture{
			JPEG: jpg.Bytes(), Frame: v.Frame, Frames: v.Frames, Rate: v.Rate, Width: v.Picture.Rect.Dx(), Height: v.Picture.Rect.Dy(),
			Notes: slices.Concat(notes, v.Warnings),
		}
		return nil
	})
	return out, refusal(err)
}

// Rest implements preview.Stage: the next frame finds the project opened.
func (s *stage) Rest(ctx context.Context) {
	if s.engine != nil {
		_ = s.engine.Rest(ctx) // the next frame tries again, and tells
	}
}

// layOut lays the project out, once, and opens it for a composition.
func (s *stage) layOut(composition string) error {
	if s.project != nil && (composition == s.project.Composition || composition == "") {
		return nil
	}
	if s.failed != nil {
		return s.failed
	}
	var p *project.Project
	var err error
	o := s.opening
	dir := filepath.Join(o.Dir, "project")
	if s.layout == nil {
		if err = os.Mkdir(dir, 0o700); err == nil {
			p, err = project.Prepare(s.ctx, o.Path, o.Name, o.Type, dir, composition, s.room)
		}
		if p == nil {
			s.failed = err
		} else { // what is wrong, if something is, may be the composition
			s.layout = p.Layout
			if s.layout == nil {
				s.layout = &project.Layout{Project: filepath.Base(p.Path)}
			}
		}
	} else {
		p, err = project.Reopen(s.ctx, dir, *s.layout, composition)
	}
	if err != nil {
		return err
	}
	s.project = p
	if s.engine == nil {
		s.engine = &aerender.Stage{Project: p.Path, Folder: o.Dir, Fonts: []string{o.Fonts}, Budget: o.Memory / footageShare}
	}
	return nil
}

// room refuses an archive that unpacks to more than a preview or the disk has room for.
func (s *stage) room(need int64) error {
	if need > s.opening.MostUnpacked {
		return &preview.Refusal{Message: fmt.Sprintf("This template unpacks to more than %d GiB, which is too much for a preview", s.opening.MostUnpacked>>30)}
	}
	free, _, err := durable.Space(s.opening.Dir)
	if err != nil {
		return fmt.Errorf("measuring free disk space: %w", err)
	}
	if free-need < s.opening.MinFree {
		return &preview.Refusal{Message: "The coordinator's disk has no room to unpack this template for a preview"}
	}
	return nil
}

// assets are those that a preview shows, with notes on the others: nothing is fetched for one, and nothing converted.
func (s *stage) assets(shot preview.Shot) (shown []script.Asset, notes []string) {
	for _, a := range shot.Assets {
		with := script.Asset{Asset: a}
		switch a.Type {
		case "text", "data", "function":
		case "essential":
			with.Controls = s.project.Controls(a.Composition, a.LayerName)
			if slices.ContainsFunc(with.Controls, script.Control.TakesFile) {
				with.File = fileOf(shot, cmp.Or(a.Src, a.MediaValue()))
				if with.File == "" {
					notes = append(notes, asInTemplate(a))
					continue
				}
			}
		case "image", "video", "audio":
			if with.File = fileOf(shot, a.Src); with.File == "" {
				notes = append(notes, asInTemplate(a))
				continue
			}
		case "script":
			notes = append(notes, "Scripts are not run for a preview")
			continue
		default:
			continue
		}
		if strings.Contains(string(a.Value)+a.Expression, "${secret") {
			notes = append(notes, fmt.Sprintf("'%s' shows the name of a secret, not its value", a.LayerName))
		}
		shown = append(shown, with)
	}
	return shown, notes
}

// fileOf is the file of an address, "" when a preview does not show it. One that machines convert is not shown: that takes too long.
func fileOf(shot preview.Shot, src string) string {
	path := shot.Files[src]
	if film.NeedsConform(filepath.Ext(path)) {
		return ""
	}
	return path
}

func asInTemplate(a farm.Asset) string {
	return fmt.Sprintf("'%s' shows what the template has: the file is not fetched for a preview", a.LayerName)
}

// refusal is an error that whoever asked can mend as one that they are told.
func refusal(err error) error {
	var refused *project.Refused
	var asset *script.Error
	var unfit *aerender.Unfit
	switch {
	case errors.As(err, &refused):
		return &preview.Refusal{Message: refused.Message}
	case errors.As(err, &asset):
		return &preview.Refusal{Message: asset.Error()}
	case errors.As(err, &unfit):
		return &preview.Refusal{Message: unfit.Message}
	}
	return err
}
