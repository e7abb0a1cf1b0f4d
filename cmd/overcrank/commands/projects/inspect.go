package projects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"overcrank/aep"
	"overcrank/cmd/overcrank/commands/templates"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/reading"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator/reader"
	"overcrank/farm/names"
	"overcrank/farm/wording"
)

const (
	// keepFree is how much of the disk stays free, in bytes, when an archive is unpacked.
	keepFree = 1 << 30
	// eachTold and allTold are how many findings, and how many features, are told of one composition and of all: more than anybody reads.
	eachTold, allTold = 1000, 10_000
	// minMemory, in bytes, is plenty for small projects.
	minMemory = 64 << 20
)

// Inspect says what the embedded engine would draw differently from After Effects.
type Inspect struct {
	File          string        `arg:"" type:"existingfile" help:"Project: .aep, .aet, .aepx, .zip or .mogrt."`
	Comp          string        `help:"Composition to look at. Default: all." placeholder:"NAME"`
	JSON          bool          `help:"Print JSON, see docs/cli.md." name:"json"`
	ReadingMemory int64         `help:"Bytes of memory that reading may take." default:"1073741824" env:"OVERCRANK_READING_MEMORY"`
	ReadingTime   time.Duration `help:"How long reading may take, unpacking included." default:"10m" env:"OVERCRANK_READING_TIME"`
}

// Help is shown with the flags.
func (Inspect) Help() string {
	return `Draws nothing. Tells for each composition whether the embedded engine draws it exactly as After Effects does,
nearly, or not, and why: features that are not drawn, files and fonts that are missing on this machine,
expressions that fail; and which features it uses, by how each is drawn. Footage is looked for in the
project's folder, or in the archive.

    overcrank inspect spot.aep
    overcrank inspect spot.zip --comp Main --json`
}

// project is what --json prints.
type project struct {
	File         string        `json:"file"`
	Type         string        `json:"type"`      // aep, zip or mogrt
	SavedWith    string        `json:"savedWith"` // version of After Effects
	Compositions []composition `json:"compositions"`
	Stopped      aep.Stopped   `json:"stopped,omitempty"` // why the verdict of some compositions is unknown
}

type composition struct {
	ID        uint32        `json:"id"`
	Name      string        `json:"name"`
	Width     int           `json:"width"`
	Height    int           `json:"height"`
	FrameRate float64       `json:"frameRate"`
	Duration  float64       `json:"duration"` // seconds
	Root      bool          `json:"root"`     // not used as a layer anywhere
	Verdict   aep.Verdict   `json:"verdict"`
	Findings  []aep.Finding `json:"findings"`
	More      int           `json:"more,omitempty"` // findings that were left out
	Needs     []aep.Need    `json:"needs"`
	MoreNeeds int           `json:"moreNeeds,omitempty"` // features that were left out
}

// unknown is the verdict on a composition that was not looked at.
const unknown aep.Verdict = "unknown"

// Run reads the project and prints what was found.
func (i Inspect) Run(ctx context.Context, out *terminal.Output) error {
	if i.ReadingMemory < minMemory || i.ReadingTime < time.Second {
		return exit.Usagef("--reading-memory is %d and --reading-time %v: they have to be %d and 1s at least", i.ReadingMemory, i.ReadingTime, minMemory)
	}
	typ := templates.ProjectType(i.File)
	if typ == "" {
		return exit.Usagef("what kind of project %s is does not show in its ending: it has to be .aep, .aet, .aepx, .zip or .mogrt", i.File)
	}
	result, err := i.read(ctx, typ)
	if err != nil {
		return err
	}
	var s aep.Summary
	if err := json.Unmarshal(result.Summary, &s); err != nil {
		return fmt.Errorf("reading %s: %w", i.File, err)
	}
	s.Preflight = result.Preflight
	p, err := i.project(typ, &s)
	if err != nil {
		return err
	}
	if i.JSON {
		return out.Indented(p)
	}
	i.print(out, p, result.Trouble)
	return nil
}

// read reads the file in a process of its own: whoever inspects a project does so because they do not know it yet.
func (i Inspect) read(ctx context.Context, typ string) (*reader.Result, error) {
	path, err := filepath.Abs(i.File)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", i.File, err)
	}
	program, err := reading.Program()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "overcrank-inspect-")
	if err != nil {
		return nil, fmt.Errorf("making a folder to unpack %s in: %w", i.File, err)
	}
	defer os.RemoveAll(scratch)
	job := reader.Job{Path: path, Type: typ, Scratch: scratch, MinFree: keepFree, Fonts: true, Each: eachTold, All: allTold, Needs: allTold}
	if typ == aep.TypeProject {
		job.Beside = filepath.Dir(path)
	}
	result, err := reader.Read(ctx, program, job, reader.Bounds{Memory: i.ReadingMemory, Within: i.ReadingTime})
	if err != nil {
		return nil, i.wayOut(err)
	}
	return result, nil
}

// wayOut says of an error what can be done about it.
func (i Inspect) wayOut(err error) error {
	switch {
	case errors.Is(err, reader.ErrMemory):
		return fmt.Errorf("reading %s takes more than %s of memory: allow more with --reading-memory", i.File, wording.Size(i.ReadingMemory))
	case errors.Is(err, reader.ErrTime):
		return fmt.Errorf("reading %s takes longer than %v: allow more with --reading-time", i.File, i.ReadingTime)
	}
	return wayOut(i.File, err)
}

// wayOut says of an error of any file what can be done about it.
func wayOut(file string, err error) error {
	if errors.As(err, new(*reader.Room)) {
		return fmt.Errorf("%s cannot be unpacked in %s: %w; free some space there, or name another folder in TMPDIR", file, os.TempDir(), err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// project puts together what is printed.
func (i Inspect) project(typ string, s *aep.Summary) (project, error) {
	p := project{File: i.File, Type: typ, SavedWith: s.Version, Compositions: []composition{}}
	var all []string
	for _, c := range s.Compositions {
		all = append(all, c.Name)
		if i.Comp != "" && c.Name != i.Comp {
			continue
		}
		one := composition{ID: c.ID, Name: c.Name, Width: c.Width, Height: c.Height, FrameRate: c.FrameRate, Duration: c.Duration, Root: c.Root,
			Verdict: unknown, Findings: []aep.Finding{}, Needs: []aep.Need{}}
		if known := s.Preflight.Of(c.ID); known != nil {
			one.Verdict, one.Findings, one.More, one.MoreNeeds = known.Verdict, known.Findings, known.More, known.MoreNeeds
			one.Needs = append(one.Needs, known.Needs...)
		} else if s.Preflight != nil {
			p.Stopped = s.Preflight.Stopped
		}
		p.Compositions = append(p.Compositions, one)
	}
	if i.Comp != "" && len(p.Compositions) == 0 {
		if len(all) == 0 {
			return p, exit.NotFoundf("%s has no compositions", i.File)
		}
		return p, exit.NotFoundf("%s has no composition '%s': it has %s", i.File, i.Comp, names.Quoted(all))
	}
	return p, nil
}

// print says it to people.
func (i Inspect) print(out *terminal.Output, p project, trouble error) {
	line := func(format string, args ...any) { fmt.Fprintln(out, terminal.Plain(fmt.Sprintf(format, args...))) }
	line("%s: saved by After Effects %s, %s", p.File, p.SavedWith, terminal.Plural(len(p.Compositions), "composition"))
	for _, c := range p.Compositions {
		fmt.Fprintln(out)
		line("%s: %d × %d, %s frames/s, %s", c.Name, c.Width, c.Height, strconv.FormatFloat(c.FrameRate, 'g', 6, 64), wording.Seconds(c.Duration))
		if c.Verdict == unknown {
			line("  Not checked.")
			continue
		}
		templates.PrintForecast(out, aep.Forecast{Composition: c.Name, Verdict: c.Verdict, Findings: c.Findings, More: c.More, Needs: c.Needs, MoreNeeds: c.MoreNeeds})
	}
	if p.Stopped != "" {
		fmt.Fprintf(out.Errors, "%s\n", i.unlooked(p.Stopped, trouble))
	}
}

// unlooked says why not all compositions were looked at.
func (i Inspect) unlooked(why aep.Stopped, trouble error) string {
	switch why {
	case aep.StoppedByMemory:
		return fmt.Sprintf("Checking the compositions takes more than %s of memory: allow more with --reading-memory.", wording.Size(i.ReadingMemory))
	case aep.StoppedByTime:
		return "Checking the compositions takes too long. Slow expressions are the usual cause."
	case aep.StoppedByNumber:
		return "There are more compositions than are checked. Those that no other composition shows come first."
	case aep.StoppedByFailure:
	}
	return "Checking the compositions failed. Please report it with the file: " + terminal.Plain(fmt.Sprint(trouble))
}
