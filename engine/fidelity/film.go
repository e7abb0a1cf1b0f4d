package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/engine/likeness"
	"overcrank/engine/raster"
	"overcrank/engine/text"
	"overcrank/ffmpeg"
)

// filmSeconds is how many seconds lie between the frames of a film that are compared.
const filmSeconds = 10

// filmJob is the job that a film was made of: film-job.json, in the folder above the film's.
type filmJob struct {
	Template struct{ Src, Composition string }
	Assets   []filmAsset
}

type filmAsset struct {
	Type       string
	LayerName  string `json:"layerName"`
	Src        string
	Property   string
	Expression string
	Value      string
}

// film compares frames of a film that After Effects made. What the film shows may belong to others, so that only the difference goes into
// the sheet.
func (c *comparison) film(ctx context.Context, folder string, o likeness.Oracle, fonts *text.Book) error {
	path := filepath.Join(folder, o.Path)
	home := filepath.Dir(filepath.Dir(path))
	job, err := readFilmJob(filepath.Join(home, "film-job.json"))
	if err != nil {
		return err
	}
	d, err := openProject(ctx, filepath.Join(home, job.Template.Src), job.Template.Composition, fonts)
	if err != nil {
		return err
	}
	info, err := footage.Probe(ctx, path)
	if err != nil {
		return err
	}
	d.background = true
	if err := d.fill(home, job.Assets); err != nil {
		return err
	}
	for at := filmSeconds / 2; float64(at) < min(info.Duration, d.comp.Comp.Duration); at += filmSeconds {
		theirs, err := filmFrame(ctx, path, at)
		if err != nil {
			return fmt.Errorf("reading second %d of the film: %w", at, err)
		}
		ours, err := d.frame(ctx, int(float64(at)*d.comp.Comp.FrameRate), 1)
		if err != nil {
			return err
		}
		if err := c.row(o).add(ours, theirs, d.lacks); err != nil {
			return err
		}
	}
	return nil
}

func readFilmJob(path string) (filmJob, error) {
	var job filmJob
	data, err := os.ReadFile(path)
	if err != nil {
		return job, fmt.Errorf("what the film was made of is not known: %w", err)
	}
	if err := json.Unmarshal(data, &job); err != nil {
		return job, fmt.Errorf("reading %s: %w", path, err)
	}
	return job, nil
}

// fill puts the assets of a job into their places.
func (d *drawing) fill(home string, assets []filmAsset) error {
	for _, a := range assets {
		if a.Type != "data" {
			for _, it := range d.project.Items {
				if it.Footage != nil && it.Name == a.LayerName {
					it.Footage.File.Resolved = filepath.Join(home, a.Src)
				}
			}
			continue
		}
		if err := d.set(a); err != nil {
			return fmt.Errorf("property %q of layer %q: %w", a.Property, a.LayerName, err)
		}
	}
	return nil
}

// propertyPaths are the properties that jobs of films name.
var propertyPaths = map[string][]string{
	"position":    {"ADBE Transform Group", "ADBE Position"},
	"source text": {"ADBE Text Properties", "ADBE Text Document"},
}

func (d *drawing) set(a filmAsset) error {
	for _, l := range d.comp.Comp.Layers {
		if d.project.DisplayName(l) != a.LayerName {
			continue
		}
		p := l.Props.Find(propertyPaths[strings.ToLower(a.Property)]...)
		switch {
		case p == nil || p.Group:
			return errors.New("it is none of those that are known here")
		case a.Expression != "":
			p.Expression, p.ExpressionOn = a.Expression, true
		default:
			document, ok := p.Value.(*aep.TextDocument)
			if !ok {
				return errors.New("only texts can have a value here")
			}
			document.Text = a.Value
		}
		return nil
	}
	return errors.New("there is no such layer")
}

// filmFrame is the picture of a film at a second.
func filmFrame(ctx context.Context, path string, at int) (*raster.Image, error) {
	args := append([]string{"-ss", strconv.Itoa(at)}, ffmpeg.Input(path)...)
	out, err := ffmpeg.Run(ctx, "ffmpeg", append(args, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "pipe:1")...)
	if err != nil {
		return nil, err
	}
	return likeness.Read(bytes.NewReader(out))
}
