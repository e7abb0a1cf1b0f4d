// Package aerender starts an aerender-compatible program, reads its lines, watches it and ends it: Adobe's aerender and
// the farm's own engine alike. The lines, exit codes and ways to fail are those that After Effects shows on real farms.
package aerender

import (
	"cmp"
	"io"
	"strconv"
	"strings"
	"time"
)

// Template names of aerender's render settings.
const (
	BestSettings    = "Best Settings"
	DraftSettings   = "Draft Settings"
	PreviewSettings = "Overcrank Preview" // half size and draft quality; only the embedded engine has it
)

// Request is one run of an engine.
type Request struct {
	Engine  string   // its name in a sentence; "" means After Effects
	Program []string // path of the program, and arguments that come before aerender's own
	bare    []string // instead of aerender's own arguments, when isBare
	isBare  bool
	// aerender and scriptFile are Command.Engine and Command.Script of a run that only applies a script.
	aerender, scriptFile string
	Host                 Host     // where it runs; nil means as a child of this process
	Dir                  string   // its working folder
	Env                  []string // besides the agent's own environment, as KEY=value

	Project        string // absolute path
	Composition    string
	Output         string // absolute path; with [####] for a sequence
	Script         string // text of a script to run on the opened project, given by standard input; "" for an engine that cannot
	Save           string // absolute path where the project is saved as the script left it, instead of a render
	RenderSettings string
	OutputModule   string
	BarsForMissing bool  // colour bars are drawn where footage is missing, instead of failing
	Start, End     *int  // frames, both included; nil means the composition's work area
	Stills         []int // these frames alone, in rising order; only the embedded engine can
	// Assemble is a file of frames that is encoded instead of a render, with the sound of Audio, a file, unless that is ""; only the
	// embedded engine can.
	Assemble io.Reader
	Audio    string

	// Lower is closed when the engine is to go on with only what other programs leave of processors and disks; nil never is.
	Lower <-chan struct{}

	Frames int           // expected, 0 when not known; what the engine says wins
	Limits Limits        // zero values mean the defaults
	Wall   time.Duration // the run's whole time, 0 for no limit

	OnLine     func(line string)    // every line, in order; may be nil
	OnProgress func(Progress)       // whenever it rises; may be nil
	Done       func() (bool, error) // whether the result is whole, asked when the engine finished but does not exit; may be nil
}

func (r Request) host() Host {
	if r.Host == nil {
		return Children{}
	}
	return r.Host
}

func (r Request) engine() string { return cmp.Or(r.Engine, "After Effects") }

// Limits are the times after which an engine is taken to hang.
type Limits struct {
	Launch time.Duration // from the start to the first sign of life
	Open   time.Duration // from there to the first frame
	First  time.Duration // from the opened project to its first frame, without a line
	Stall  time.Duration // without a line while it renders; ten times the slowest frame when that is longer
	Exit   time.Duration // from the end of the composition to the program's end
	Grace  time.Duration // between being asked to stop, when it hangs, and being killed
	Leave  time.Duration // the same when nobody wants the result any more: an artist may be waiting for the machine
}

func (l Limits) orDefaults() Limits {
	set := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	set(&l.Launch, 180*time.Second)
	set(&l.Open, 600*time.Second)
	set(&l.First, 30*time.Minute)
	set(&l.Stall, 300*time.Second)
	set(&l.Exit, 90*time.Second)
	set(&l.Grace, 10*time.Second)
	set(&l.Leave, time.Second)
	return l
}

// Result is what a run that was not stopped told of itself.
type Result struct {
	Frames   int      // distinct frames told; an engine may tell none
	Expected int      // frames of the range as the engine said it, else as the request did
	Reused   int      // frames that the engine did not draw, since another render of this machine had
	Warnings []string // in its words
	Hung     bool     // it had finished, and had to be killed
}

// scriptInput makes the embedded engine read the script from standard input: a script may hold what must not lie on a disk.
const scriptInput = "-"

// arguments are aerender's flags.
func (r Request) arguments() []string {
	if r.isBare {
		return r.bare
	}
	if r.Save != "" {
		return []string{"-project", r.Project, "-r", scriptInput, "-save", r.Save, "-v", "ERRORS_AND_PROGRESS"}
	}
	var args []string
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	if r.Assemble != nil {
		add("-assemble", scriptInput)
		add("-audio", r.Audio)
	} else {
		args = append(args, "-project", r.Project, "-comp", r.Composition)
	}
	add("-output", r.Output)
	add("-RStemplate", r.RenderSettings)
	add("-OMtemplate", r.OutputModule)
	if r.BarsForMissing && r.Assemble == nil {
		args = append(args, "-continueOnMissingFootage")
	}
	if r.Start != nil {
		add("-s", strconv.Itoa(*r.Start))
	}
	if r.End != nil {
		add("-e", strconv.Itoa(*r.End))
	}
	var stills []string
	for _, n := range r.Stills {
		stills = append(stills, strconv.Itoa(n))
	}
	add("-stills", strings.Join(stills, ","))
	if r.Script != "" {
		add("-r", scriptInput)
	}
	return append(args, "-sound", "ON", "-v", "ERRORS_AND_PROGRESS", "-close", "DO_NOT_SAVE_CHANGES")
}
