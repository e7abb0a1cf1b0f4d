package projects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overcrank/aep"
	"overcrank/agent/script"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/commands/templates"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator/reader"
	"overcrank/durable"
	"overcrank/engine/aerender"
	"overcrank/farm"
	"overcrank/farm/names"
)

// pictureEndings are those of the files that a frame is written into.
var pictureEndings = []string{".png", ".jpg", ".jpeg"}

// Frame draws one frame of a project.
type Frame struct {
	File   string            `arg:"" type:"existingfile" help:"Project: .aep, .aet, .aepx, .zip or .mogrt."`
	Comp   string            `help:"Composition to draw. Default: the only one that no other shows." placeholder:"NAME"`
	Time   moment            `help:"Which frame: seconds from the composition's start (2.5), or the number of a frame from 0 (62f)." default:"0" placeholder:"TIME"`
	Output string            `short:"o" help:"File to write: .png, which keeps transparency, or .jpg. Default: the composition's name, in this folder." type:"path"`
	Text   map[string]string `help:"layer=words: replace the words of a text layer." mapsep:"none"`
	Data   map[string]string `help:"layer:property=value: set a property; the value is JSON or words." mapsep:"none"`
	Scale  float64           `help:"Size, as a part of the composition's: 0.5 is half." default:"1"`
	JSON   bool              `help:"Print JSON." name:"json"`
}

// Help is shown with the flags.
func (Frame) Help() string {
	return `Draws with the embedded engine on this machine. Features that are not drawn, missing footage and replaced fonts are
reported as warnings.

    overcrank frame spot.zip --comp Main --time 2.5 -o look.png
    overcrank frame spot.aep --time 62f --scale 0.5 -o look.jpg
    overcrank frame spot.zip --text Title='Spring sale' --data Logo:opacity=50 -o look.png`
}

// moment is a time in a composition: seconds, or the number of a frame.
type moment struct {
	seconds float64
	frame   int
	counted bool // it is the number of a frame
}

// UnmarshalText reads it.
func (m *moment) UnmarshalText(text []byte) error {
	word := string(text)
	if number, counted := strings.CutSuffix(word, "f"); counted {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return fmt.Errorf("'%s' is not a frame: write 62f", word)
		}
		*m = moment{frame: n, counted: true}
		return nil
	}
	s, err := strconv.ParseFloat(word, 64)
	if err != nil || !(s >= 0 && s < math.MaxInt32) {
		return fmt.Errorf("'%s' is not a time: write seconds (2.5) or a frame (62f)", word)
	}
	*m = moment{seconds: s}
	return nil
}

// frameOf is the frame of a composition that is shown at the moment.
func (m moment) frameOf(it *aep.Item) (int, error) {
	c := it.Comp
	all := max(1, int(math.Round(c.Duration*c.FrameRate)))
	n := m.frame
	if !m.counted {
		n = int(min(m.seconds*c.FrameRate+1e-6, math.MaxInt32)) // a frame lasts until the next begins
	}
	if n < 0 || n >= all {
		return 0, exit.Usagef("--time is outside of composition '%s', which has the frames 0f to %df and lasts %g seconds", it.Name, all-1, c.Duration)
	}
	return n, nil
}

// drawn is what --json prints.
type drawn struct {
	File        string   `json:"file"`
	Composition string   `json:"composition"`
	Frame       int      `json:"frame"` // from 0
	Time        float64  `json:"time"`  // seconds
	Width       int      `json:"width"`
	Height      int      `json:"height"`
	Warnings    []string `json:"warnings"`
}

// Run draws the frame.
func (f Frame) Run(ctx context.Context, out *terminal.Output) error {
	typ := templates.ProjectType(f.File)
	if typ == "" {
		return exit.Usagef("what kind of project %s is does not show in its ending: it has to be .aep, .aet, .aepx, .zip or .mogrt", f.File)
	}
	if f.Output != "" && !slices.Contains(pictureEndings, strings.ToLower(filepath.Ext(f.Output))) {
		return exit.Usagef("-o %s: it has to end in .png or .jpg", f.Output)
	}
	if !(f.Scale > 0 && f.Scale <= 8) {
		return exit.Usagef("--scale %g: it has to be above 0, and 8 at most", f.Scale)
	}
	assets, err := f.assets()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "overcrank-frame-")
	if err != nil {
		return fmt.Errorf("making a folder to unpack %s in: %w", f.File, err)
	}
	defer os.RemoveAll(scratch)
	path, folder, err := f.locate(ctx, typ, scratch)
	if err != nil {
		return err
	}
	told := drawn{Warnings: []string{}}
	d, err := aerender.Still{
		Project: path, Folder: folder, Choose: f.choose, Fill: filling(assets), Scale: f.Scale, Output: f.target,
		Warn: func(text string) {
			told.Warnings = append(told.Warnings, text)
			out.Remark("%s", terminal.Plain(text))
		},
		GiveUp: func(err error) {
			fmt.Fprintf(out.Errors, "overcrank: %s: %v\n", f.File, err)
			os.Exit(exit.Failed)
		},
	}.Draw(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", f.File, err)
	}
	if !f.JSON {
		_, err = fmt.Fprintln(out, d.Path)
		return err
	}
	told.File, told.Composition, told.Frame, told.Time, told.Width, told.Height = d.Path, d.Comp, d.Frame, d.Time, d.Width, d.Height
	return out.Indented(told)
}

// assets are those of a job with the same flags.
func (f Frame) assets() (list []script.Asset, err error) {
	add := func(kind, layer, property string, value any) error {
		text, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("writing the value for layer '%s': %w", layer, err)
		}
		list = append(list, script.Asset{Asset: farm.Asset{Type: kind, LayerName: layer, Property: property, Value: text}})
		return nil
	}
	for _, layer := range slices.Sorted(maps.Keys(f.Text)) {
		if err := add("text", layer, "", f.Text[layer]); err != nil {
			return nil, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.Data)) {
		layer, property, ok := strings.Cut(key, ":")
		if !ok {
			return nil, exit.Usagef("--data %s: write it as layer:property=value", key)
		}
		if err := add("data", layer, property, remote.JSONOrWords(f.Data[key])); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// filling makes the script with which a farm's machine would fill the composition; nil for no assets.
func filling(assets []script.Asset) func(composition string) (string, error) {
	if len(assets) == 0 {
		return nil
	}
	return func(composition string) (string, error) {
		return script.Build(script.Input{Composition: composition, Assets: assets})
	}
}

// locate finds the project in the file, and the folder of its footage. An archive is unpacked into scratch.
func (f Frame) locate(ctx context.Context, typ, scratch string) (path, folder string, err error) {
	lim := aep.DefaultLimits()
	lim.Room = func(need int64) error {
		free, size, err := durable.Space(scratch)
		if err != nil {
			return fmt.Errorf("measuring free disk space: %w", err)
		}
		if free-need < keepFree {
			return &reader.Room{Need: need, Free: max(0, free-keepFree), Size: max(0, size-keepFree)}
		}
		return nil
	}
	path, err = aep.Locate(ctx, f.File, typ, scratch, lim)
	if err != nil {
		return "", "", wayOut(f.File, err)
	}
	if typ == aep.TypeProject {
		return path, filepath.Dir(path), nil
	}
	return path, scratch, nil
}

// choose chooses the composition and its frame.
func (f Frame) choose(p *aep.Project) (*aep.Item, int, error) {
	within := p.Sources()
	var all, roots []string
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		all = append(all, it.Name)
		if !within[it.ID] {
			roots = append(roots, it.Name)
		}
	}
	name := f.Comp
	switch {
	case len(all) == 0:
		return nil, 0, errors.New("there are no compositions")
	case name == "" && len(roots) != 1:
		return nil, 0, exit.Usagef("there are several compositions; choose one with --comp: %s", names.Quoted(all))
	case name == "":
		name = roots[0]
	}
	comp := p.Composition(name)
	if comp == nil {
		return nil, 0, exit.NotFoundf("there is no composition '%s'; the project has %s", name, names.Quoted(all))
	}
	n, err := f.Time.frameOf(comp)
	return comp, n, err
}

// target is the file to write: without a name from the user, one that is not there yet.
func (f Frame) target(composition string) string {
	if f.Output != "" {
		return f.Output
	}
	var files names.Files
	name := files.Name(composition, "frame", ".png")
	plain := strings.TrimSuffix(name, ".png")
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) || n > 9999 {
			return name
		}
		name = fmt.Sprintf("%s-%d.png", plain, n)
	}
}
