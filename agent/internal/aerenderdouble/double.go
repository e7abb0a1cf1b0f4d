// Package aerenderdouble stands in for Adobe's aerender in tests: it takes aerender's flags, prints what After Effects
// prints on real farms, and fails in the ways it fails there. A test's TestMain calls PlayIfAsked. The test starts its own program
// by a name that says the part (Program), so that tests may run beside each other, or with the variable Env set to the name of a part.
package aerenderdouble

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Env names the variable that holds the part to play.
const Env = "AERENDER_DOUBLE"

// EnvChild names the variable with the path of a file in which a part tells the process id of its child.
const EnvChild = "AERENDER_DOUBLE_CHILD"

// named begins the name of a program that plays a part.
const named = "plays-"

// Program is the test's own program under a name that has it play a part; under its own name for "".
func Program(t *testing.T, part string) (path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if part == "" {
		return self
	}
	path = filepath.Join(t.TempDir(), named+part)
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// asked is the part that this process was started to play, "" for none.
func asked() string {
	if part, ok := strings.CutPrefix(filepath.Base(os.Args[0]), named); ok {
		return part
	}
	return os.Getenv(Env)
}

// Asked tells whether this process was started to play a part.
func Asked() bool { return asked() != "" }

// GoOn lets a program that plays half-way draw the rest of the frames from start to end.
func GoOn(t *testing.T, program string, start, end int) {
	t.Helper()
	if err := os.WriteFile(goesOn(program, job{start: start, end: end}), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// goesOn is the file for which a program waits that plays half-way.
func goesOn(program string, j job) string {
	return fmt.Sprintf("%s.%d-%d", program, j.start, j.end)
}

// PlayIfAsked plays the part that this process was started for, and does not return then. A TestMain begins with it: the embedded engine is
// started with "aerender" before its flags, Adobe's with the flags alone, and an After Effects that applies a script with "afterfx".
func PlayIfAsked() {
	if !Asked() || len(os.Args) < 2 {
		return
	}
	switch os.Args[1] {
	case "aerender":
		os.Exit(Main(os.Args[2:]))
	case "-project":
		os.Exit(Main(os.Args[1:]))
	case "afterfx":
		os.Exit(AfterFX(os.Args[2], os.Args[3]))
	}
}

// part is one way After Effects behaves. Its result is the exit code.
type part func(job) int

var parts = map[string]part{
	"normal":            normal,
	"plain":             plainFrames,
	"drop":              dropFrame,
	"german":            german,
	"french-cp1252":     french,
	"unordered":         unordered,
	"one-by-one":        oneByOne(100 * time.Millisecond),
	"half-way":          halfWay,
	"no-sound-module":   noSoundModule,
	"no-picture-module": noPictureModule,
	"missing":           missingFrames,
	"error-exit-0":      errorThenZero,
	"orphan":            orphan,
	"silent-start":      silentStart,
	"hang-start":        hangAtStart,
	"hang-end":          hangAtEnd,
	"hang-first":        hangAtFirst,
	"hang-half":         hangHalfWay,
	"stubborn":          stubborn,
	"child-then-hang":   childThenHang,
	"licence":           says(1, "aerender ERROR: Unable to obtain a license for this plug-in."),
	"version":           says(1, "aerender ERROR: After Effects error: The file you are attempting to open was created with After Effects version 26.0.2 (Macintosh 64) and cannot be opened with this version."),
	"no-comp":           says(1, "aerender ERROR: No comp was found with the given name."),
	"script":            says(5, "aerender ERROR: After Effects error: Error: Layer 'title' not found in composition 'main' (asset 2)"),
	"missing-font":      missingFont,
	"crash":             says(1, "PROGRESS:  Start: 0:00:00:00"),
	"disk-full":         says(1, "aerender ERROR: Rendering error while writing to file. An output module failed. The file may be damaged or corrupted."),
	"empty-output":      emptyOutput,
	"truncated":         truncatedOutput,
	"long-line":         longLine,
	"noise":             noise,
}

// job is what the flags ask for.
type job struct {
	output     string
	module     string
	start, end int
	thumbnails string
}

func (j job) frames() int { return j.end - j.start + 1 }

// Main plays the part that was asked for and returns the exit code.
func Main(args []string) int {
	j := job{end: 24, thumbnails: os.Getenv("OVERCRANK_THUMBS")}
	for i := 0; i+1 < len(args); i++ {
		switch args[i] {
		case "-output":
			j.output = args[i+1]
		case "-OMtemplate":
			j.module = args[i+1]
		case "-s":
			j.start, _ = strconv.Atoi(args[i+1])
		case "-e":
			j.end, _ = strconv.Atoi(args[i+1])
		}
	}
	play, known := parts[asked()]
	if !known {
		fmt.Println("aerender ERROR: unknown part", asked())
		return 2
	}
	return play(j)
}

const opening = "PROGRESS: Launching After Effects...\nPROGRESS: ...After Effects successfully launched\nPROGRESS: Adding specified comp to Render Queue\n"

func open() { fmt.Print(opening) }

func head(j job) { fmt.Print(heading(j)) }

func heading(j job) string {
	return fmt.Sprintf("PROGRESS:  Start: %s\nPROGRESS:  End: %s\nPROGRESS:  Duration: %s\nPROGRESS:  Frame Rate: 25.00 (comp)\n",
		timecode(j.start, ":"), timecode(j.end, ":"), timecode(j.frames(), ":"))
}

func timecode(frame int, last string) string {
	return fmt.Sprintf("%d:%02d:%02d%s%02d", frame/25/3600, frame/25/60%60, frame/25%60, last, frame%25)
}

func frame(j job, n int) { fmt.Print(framed(j, n)) }

func framed(j job, n int) string {
	return fmt.Sprintf("PROGRESS:  %s (%d): 0 Seconds\n", timecode(j.start+n, ":"), n+1)
}

func finish() {
	fmt.Print("PROGRESS:  Total Time Elapsed: 1 Seconds\nPROGRESS: 11/21/2026 1:00:00 PM: Finished composition \"main\".\n")
}

func normal(j job) int {
	open()
	head(j)
	for n := range j.frames() {
		frame(j, n)
	}
	finish()
	return film(j, j.frames())
}

func plainFrames(j job) int {
	open()
	fmt.Printf("PROGRESS:  Start: %d\nPROGRESS:  Duration: %d\nPROGRESS:  Frame Rate: 25.00 (comp)\n", j.start, j.frames())
	for n := range j.frames() {
		fmt.Printf("PROGRESS:  %d (%d): 0 Seconds\n", j.start+n, n+1)
	}
	finish()
	return film(j, j.frames())
}

// dropFrame tells a minute and a little at 29.97 frames per second.
func dropFrame(job) int {
	open()
	fmt.Print("PROGRESS:  Start: 0;00;00;00\nPROGRESS:  Duration: 0;01;00;04\nPROGRESS:  Frame Rate: 29.97 (comp)\n")
	for n := range 1802 {
		fmt.Printf("PROGRESS:  0;%02d;%02d;%02d (%dL): 0 Seconds\n", n/1800, n/30%60, n%30+n/1800*2, n+1)
	}
	finish()
	return 0
}

func german(j job) int {
	fmt.Print("PROGRESS: After Effects wird gestartet...\nPROGRESS: ...After Effects wurde erfolgreich gestartet\n")
	fmt.Printf("PROGRESS:  Anfang: %s\nPROGRESS:  Ende: %s\nPROGRESS:  Dauer: %s\nPROGRESS:  Framerate: 25,00 (Komp)\n",
		timecode(j.start, ":"), timecode(j.end, ":"), timecode(j.frames(), ":"))
	for n := range j.frames() {
		fmt.Printf("PROGRESS:  %s (%d): 0 Sekunden\n", timecode(j.start+n, ":"), n+1)
	}
	fmt.Print("PROGRESS: 21.11.2026 13:00:00: Komposition „main“ beendet.\n")
	return film(j, j.frames())
}

// french ends its lines with CRLF and writes them in a Windows code page.
func french(j job) int {
	fmt.Print("PROGRESS: Lancement d'After Effects...\r\nPROGRESS: ...After Effects d\xe9marr\xe9\r\n")
	fmt.Printf("PROGRESS:  Dur\xe9e : %s\r\nPROGRESS:  Fr\xe9quence d'images : 25,00 (comp)\r\n", timecode(j.frames(), ":"))
	for n := range j.frames() {
		fmt.Printf("PROGRESS:  %s (%d): 0 secondes\r\n", timecode(j.start+n, ":"), n+1)
	}
	fmt.Print("PROGRESS: fin de la composition \xab main \xbb\r\n")
	return film(j, j.frames())
}

// unordered renders several frames at once, as multi-frame rendering does, and tells some of them twice.
func unordered(j job) int {
	open()
	head(j)
	for n := 0; n < j.frames(); n += 2 {
		if n+1 < j.frames() {
			frame(j, n+1)
			frame(j, n+1)
		}
		frame(j, n)
	}
	finish()
	return film(j, j.frames())
}

// noSoundModule has no output module for sound alone.
func noSoundModule(j job) int {
	if strings.HasPrefix(j.module, "AIFF") {
		return says(1, "aerender ERROR: No output module template was found with the given name.")(j)
	}
	return normal(j)
}

// noPictureModule has no output module for pictures.
func noPictureModule(j job) int {
	if strings.HasPrefix(j.module, "TIFF") {
		return says(1, "aerender ERROR: No output module template was found with the given name.")(j)
	}
	return normal(j)
}

func missingFrames(j job) int {
	open()
	head(j)
	for n := range j.frames() / 2 {
		frame(j, n)
	}
	finish()
	return film(j, j.frames()/2)
}

func errorThenZero(j job) int {
	normal(j)
	fmt.Println("aerender ERROR: After Effects error: internal verification failure, sorry! {preferences structure invalid}")
	return 0
}

// orphan leaves a child behind that holds on to the output's pipe.
func orphan(j job) int {
	if code := bear(); code != 0 {
		return code
	}
	return normal(j)
}

func childThenHang(j job) int {
	if code := bear(); code != 0 {
		return code
	}
	return hangHalfWay(j)
}

// bear starts a child that stays.
func bear() int {
	child := exec.Command("sleep", "300")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		fmt.Println("aerender ERROR:", err)
		return 1
	}
	if path := os.Getenv(EnvChild); path != "" {
		if err := os.WriteFile(path, []byte(strconv.Itoa(child.Process.Pid)), 0o600); err != nil {
			return 1
		}
	}
	return 0
}

func silentStart(job) int {
	fmt.Println("PROGRESS: Launching After Effects...")
	return 1
}

func hang() int {
	for {
		time.Sleep(time.Hour)
	}
}

func hangAtStart(job) int {
	fmt.Println("PROGRESS: Launching After Effects...")
	return hang()
}

func hangAtEnd(j job) int {
	open()
	head(j)
	if code := film(j, j.frames()); code != 0 { // written before it says so: whoever listens may end this process soon after
		return code
	}
	for n := range j.frames() {
		frame(j, n)
	}
	finish()
	return hang()
}

// hangAtFirst opens the project and draws nothing.
func hangAtFirst(j job) int {
	open()
	head(j)
	return hang()
}

// hangHalfWay says all that it says at once, so that only what follows is silence.
func hangHalfWay(j job) int {
	var said strings.Builder
	said.WriteString(opening + heading(j))
	for n := range j.frames() / 2 {
		said.WriteString(framed(j, n))
	}
	fmt.Print(said.String())
	return hang()
}

// stubborn does not end when it is asked to.
func stubborn(j job) int {
	ignoreTermination()
	return hangHalfWay(j)
}

func says(code int, lines ...string) part {
	return func(job) int {
		open()
		for _, line := range lines {
			fmt.Println(line)
		}
		return code
	}
}

func missingFont(j job) int {
	fmt.Println("WARNING:After Effects warning: Project has missing fonts.")
	return normal(j)
}

func emptyOutput(j job) int {
	open()
	head(j)
	frame(j, 0)
	finish()
	if os.WriteFile(j.output, nil, 0o600) != nil {
		return 1
	}
	return 0
}

func truncatedOutput(j job) int {
	if code := normal(j); code != 0 {
		return code
	}
	info, err := os.Stat(j.output)
	if err != nil || os.Truncate(j.output, info.Size()/2) != nil {
		return 1
	}
	return 0
}

func longLine(j job) int {
	fmt.Println(strings.Repeat("x", 1<<20))
	return normal(j)
}

func noise(j job) int {
	fmt.Print("GL_VERS: 32Prog Error: 1280\nCreate Buffer Error: 1280\nERROR: a plug-in talks to itself\n")
	return normal(j)
}

// film writes what so many frames of the job come to, where it wants its output: what a frame shows depends on its number. A file
// ending in .mov is lossless, as that of After Effects' template is; .aif is the sound alone.
func film(j job, frames int) int {
	if j.output == "" {
		return 0
	}
	seconds := func(n int) string { return strconv.FormatFloat(float64(n)/25, 'f', 3, 64) }
	sound := []string{"-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000,aformat=channel_layouts=stereo,atrim=start=" + seconds(j.start) + ":duration=" + seconds(frames) + ",asetpts=PTS-STARTPTS"}
	pictures := []string{"-f", "lavfi", "-i", fmt.Sprintf("testsrc2=size=64x48:rate=25,format=rgba,trim=start_frame=%d:end_frame=%d,setpts=PTS-STARTPTS", j.start, j.start+frames)}
	out := strings.NewReplacer("[####]", "%04d", "[#####]", "%05d").Replace(j.output)
	args := []string{"-v", "error", "-y"}
	switch filepath.Ext(out) {
	case ".aif":
		args = append(args, sound...)
	case ".mov":
		format := "rgb24"
		if strings.HasSuffix(j.module, "with Alpha") {
			format = "argb"
		}
		args = append(append(append(args, sound...), pictures...), "-c:v", "qtrle", "-pix_fmt", format, "-c:a", "pcm_s16be")
	case ".mp4":
		args = append(append(append(args, sound...), pictures...), "-pix_fmt", "yuv420p")
	default:
		args = append(append(args, pictures...), "-start_number", strconv.Itoa(j.start))
	}
	cmd := exec.Command("ffmpeg", append(args, out)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Println("aerender ERROR: ffmpeg:", err)
		return 1
	}
	return 0
}

// oneByOne takes its time with each frame, and writes each picture before it tells of it; what is no series of pictures comes at the end.
func oneByOne(each time.Duration) func(job) int {
	return func(j job) int { return one(j, each, func(int) {}) }
}

// halfWay is oneByOne, and stays at half of the frames until it may go on (GoOn). The sound alone is without frames.
func halfWay(j job) int {
	return one(j, 100*time.Millisecond, func(n int) {
		if n != j.frames()/2 || filepath.Ext(j.output) == ".aif" {
			return
		}
		for {
			if _, err := os.Stat(goesOn(os.Args[0], j)); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// one draws frame after frame; before is called before each of them.
func one(j job, each time.Duration, before func(n int)) int {
	open()
	time.Sleep(3 * each) // After Effects takes longer for its start than for a frame
	head(j)
	series := strings.Contains(j.output, "[#")
	for n := range j.frames() {
		before(n)
		alone := j
		alone.start, alone.end = j.start+n, j.start+n
		if series {
			if code := film(alone, 1); code != 0 {
				return code
			}
		}
		frame(j, n)
		time.Sleep(each)
	}
	finish()
	if series {
		return 0
	}
	return film(j, j.frames())
}
