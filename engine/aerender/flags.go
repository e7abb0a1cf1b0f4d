package aerender

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// flags are the flags of the command line. Those of Adobe's aerender have the same meaning here.
type flags struct {
	project, comp, output string
	renderSettings        string // -RStemplate
	outputModule          string // -OMtemplate
	script                string // -r
	save                  string // -save
	log                   string
	start, end            *int // frames, counted from the project's and the composition's first
	step                  int
	stills                []int // frames in rising order, instead of a range
	assemble              string
	audio                 string
	workers               int     // 0 means as many as the machine has processors
	memory                float64 // percent of the machine's, 0 when not given
	skipMissing           bool
	bars                  bool // with skipMissing: colour bars in the place of pictures that are missing
	errorsOnly            bool
	help, version         bool
	notes                 []string // about flags that have no effect here
	folder                string   // of a Still
}

const usage = `Usage: overcrank aerender -project PROJECT -comp NAME -output FILE [flags]

Renders a composition of an After Effects project with Overcrank's own engine. The flags are aerender's:

  -project FILE          the project: .aep, .aet or .aepx
  -comp NAME             the composition to render
  -output FILE           what to write; numbered pictures have their number at [####]. A .frames file gets the frames as they
                         are before they are encoded, a .wav file the sound alone
  -r SCRIPT              a script (.jsx) to run on the opened project before it is rendered; - reads it from standard input
  -save FILE             save the project as the script left it, and render nothing
  -RStemplate NAME       render settings: "Best Settings", "Draft Settings", "Multi-Machine Settings", "Overcrank Preview"
  -OMtemplate NAME       output module: such as video_h264_vbr_15mbps, video_prores_4444, image_png, or After Effects'
                         own names such as "H.264 - Match Render Settings - 15 Mbps", "Lossless with Alpha"
  -s N, -e N             first and last frame, both included; without them the work area
  -i N                   render every N-th frame (1 to 100)
  -stills N,N,…          render these frames alone, in rising order
  -mfr ON|OFF PERCENT    draw several frames at once, with that share of the processors
  -mem_usage CACHE MAX   percent of the machine's memory; MAX bounds it, 80 without this flag
  -assemble FILE         instead of a project: encode a file of frames that was rendered with an -output of .frames; - reads
                         standard input. -s and -e say which frames it holds, -audio FILE is a film's sound
  -continueOnMissingFootage
                         draw colour bars for footage that is not there, and leave out its sound, instead of failing
  -v ERRORS|ERRORS_AND_PROGRESS
                         what to print
  -log FILE              print into a file as well
  -version, -help

Taken and without effect: -close -sound -reuse -port -mp -rqindex -renderSettings -outputSettings -doSavePrefsOnQuit.
Exit codes: 0 done, 1 aborted, 2 usage, 5 script, 7 project, composition, template or footage, 9 rendering; one more with -log.
`

var errNoValue = errors.New("a value is missing")

// parseFlags reads the command line. Flags are matched whatever their case, as on Adobe's.
func parseFlags(args []string) (flags, error) {
	f := flags{step: 1, renderSettings: "Best Settings"}
	for len(args) > 0 {
		name := args[0]
		rest, err := f.take(strings.ToLower(name), args[1:])
		if err != nil {
			return f, fmt.Errorf("flag %s: %w", name, err)
		}
		args = rest
	}
	return f, nil
}

// take reads one flag and its values, and returns the rest of the command line.
func (f *flags) take(name string, rest []string) ([]string, error) {
	if text := f.text(name); text != nil {
		if len(rest) == 0 {
			return nil, errNoValue
		}
		*text = rest[0]
		return rest[1:], nil
	}
	switch name {
	case "-help", "-h", "--help":
		f.help = true
	case "-version", "--version":
		f.version = true
	case "-continueonmissingfootage":
		f.skipMissing, f.bars = true, true
	case "-reuse", "-mp", "-dosaveprefsonquit":
	case "-stills":
		return f.single(rest)
	case "-s", "-e", "-i":
		return f.frame(name, rest)
	case "-mfr":
		return f.multiFrame(rest)
	case "-mem_usage":
		return f.memoryUsage(rest)
	case "-v":
		return f.verbosity(rest)
	case "-close", "-sound", "-port", "-rqindex", "-rendersettings", "-outputsettings":
		return f.ignored(name, rest)
	default:
		return nil, errors.New("unknown flag")
	}
	return rest, nil
}

// text is the field for a flag that takes any text as its value.
func (f *flags) text(name string) *string {
	switch name {
	case "-project":
		return &f.project
	case "-comp":
		return &f.comp
	case "-output":
		return &f.output
	case "-rstemplate":
		return &f.renderSettings
	case "-omtemplate":
		return &f.outputModule
	case "-r":
		return &f.script
	case "-save":
		return &f.save
	case "-assemble":
		return &f.assemble
	case "-audio":
		return &f.audio
	case "-log":
		return &f.log
	}
	return nil
}

func (f *flags) frame(name string, rest []string) ([]string, error) {
	if len(rest) == 0 {
		return nil, errNoValue
	}
	n, err := strconv.Atoi(rest[0])
	if err != nil || n > 1<<30 || n < -1<<30 {
		return nil, fmt.Errorf("%q is not a frame number", rest[0])
	}
	switch name {
	case "-s":
		f.start = &n
	case "-e":
		f.end = &n
	case "-i":
		if n < 1 || n > 100 {
			return nil, fmt.Errorf("%d is not between 1 and 100", n)
		}
		f.step = n
	}
	return rest[1:], nil
}

// single reads the numbers of single frames.
func (f *flags) single(rest []string) ([]string, error) {
	if len(rest) == 0 {
		return nil, errNoValue
	}
	for _, s := range strings.Split(rest[0], ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n > 1<<30 || n < -1<<30 || len(f.stills) > 0 && n <= f.stills[len(f.stills)-1] {
			return nil, fmt.Errorf("%q is not a list of frame numbers in rising order", rest[0])
		}
		f.stills = append(f.stills, n)
	}
	return rest[1:], nil
}

// multiFrame reads "ON 90" or "OFF 90". Older scripts leave out the percentage.
func (f *flags) multiFrame(rest []string) ([]string, error) {
	if len(rest) == 0 {
		return nil, errNoValue
	}
	share := 100.0
	after := rest[1:]
	if len(after) > 0 {
		if v, err := strconv.ParseFloat(after[0], 64); err == nil && v >= 0 && v <= 100 {
			share, after = v, after[1:]
		}
	}
	switch strings.ToUpper(rest[0]) {
	case "ON":
		f.workers = max(1, int(float64(runtime.GOMAXPROCS(0))*share/100+0.5))
	case "OFF":
		f.workers = 1
	default:
		return nil, fmt.Errorf("%q is neither ON nor OFF", rest[0])
	}
	return after, nil
}

func (f *flags) memoryUsage(rest []string) ([]string, error) {
	if len(rest) < 2 {
		return nil, errors.New("it takes two numbers: the share of the image cache and the most memory, in percent")
	}
	for _, s := range rest[:2] {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= 0 && v <= 1e6) {
			return nil, fmt.Errorf("%q is not a percentage", s)
		}
		f.memory = v
	}
	return rest[2:], nil
}

func (f *flags) verbosity(rest []string) ([]string, error) {
	if len(rest) == 0 {
		return nil, errNoValue
	}
	switch strings.ToUpper(rest[0]) {
	case "ERRORS":
		f.errorsOnly = true
	case "ERRORS_AND_PROGRESS":
		f.errorsOnly = false
	default:
		return nil, fmt.Errorf("%q is neither ERRORS nor ERRORS_AND_PROGRESS", rest[0])
	}
	return rest[1:], nil
}

// ignored reads a flag whose value changes nothing here. Those whose effect somebody might rely on are noted.
func (f *flags) ignored(name string, rest []string) ([]string, error) {
	if len(rest) == 0 {
		return nil, errNoValue
	}
	switch {
	case name == "-close" && strings.EqualFold(rest[0], "SAVE_CHANGES"):
		f.notes = append(f.notes, "the embedded engine never changes the project that it renders: -close SAVE_CHANGES has no effect; -save writes a copy")
	case name == "-rqindex" || name == "-rendersettings" || name == "-outputsettings":
		f.notes = append(f.notes, "the embedded engine does not use "+name)
	}
	return rest[1:], nil
}
