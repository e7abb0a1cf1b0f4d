package aerender

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// kind is what a line of an engine means.
type kind int

const (
	kindOther    kind = iota
	kindLaunched      // the engine is up and opens the project
	kindStart         // first frame of the range, in frames
	kindDuration      // length of the range, in frames
	kindRate          // frames per second
	kindFrame         // a frame is done
	kindFinished      // the composition is done
	kindReused        // so many frames were not drawn, since another render had drawn them
	kindWarning
	kindError
	kindComplaint // an error in the words of who knows which plug-in; it counts only when the engine fails
)

// event is a line understood.
type event struct {
	kind   kind
	clock  string  // of kindFrame: the display time, which tells frames apart
	time   clock   // of kindStart, kindDuration and kindFrame
	number int     // of kindFrame: the counter behind the time, 1-based in the run; of kindReused: how many
	rate   float64 // of kindRate
	text   string  // of kindWarning, kindError and kindComplaint: the words alone
}

// pattern is a regular expression that is compiled when it is first asked for: most starts of the program read no engine's lines.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Lines come from an After Effects in any of its languages; only the words that were seen in the field are listed, and
// nothing depends on them alone.
var (
	frameLine    = pattern(`^PROGRESS:\s+(\d+[:;]\d{2}[:;]\d{2}[:;.]\d{2,3}|\d+(?:\+\d+)?)\s+\((\d+)[A-Za-z]*\)`)
	startLine    = pattern(`^PROGRESS:\s*(?:Start|Anfang|Début|Inicio|Inizio)\s?:\s*(\S+)`)
	durationLine = pattern(`^PROGRESS:\s*(?:Duration|Dauer|Durée|Duración|Durata)\s?:\s*(\S+)`)
	rateLine     = pattern(`^PROGRESS:\s*(?:Frame Rate|Framerate|Bildrate|Fréquence d'images|Cadence|Velocidad de fotogramas|Frequenza fotogrammi)\s?:\s*([\d.,]+)`)
	finishedLine = pattern(`(?i)^PROGRESS:.*(finished composition|fin de la composition|komposition .*beendet)`)
	reusedLine   = pattern(`^PROGRESS:\s+Frames reused: (\d{1,9})$`)
	launchedLine = pattern(`(?i)^PROGRESS:\s*\.\.\.\s*After Effects `)
	errorLine    = pattern(`(?i)^(?:INFO:|WARNING:)?\s*(?:aerender\s+(?:ERROR|Fehler|Erreur)|After Effects\s+(?:error|Fehler|erreur))\s*[^:]{0,40}:\s*(.*)$`)
	weakLine     = pattern(`(?i)^ERROR\s*:\s*(.*)$`)
	warningLine  = pattern(`(?i)^WARNING:\s*(?:After Effects warning:\s*)?(.*)$`)
	noise        = pattern(`GL_VERS:|Create Buffer Error: 1280|Prog Error: 1280|NVAPI|[Aa]uto-?[Ss]ave`)
)

// parse understands one line.
func parse(line string) event {
	line = strings.TrimSpace(line)
	if noise().MatchString(line) {
		return event{}
	}
	if !strings.HasPrefix(line, "PROGRESS:") {
		return parseMessage(line)
	}
	if m := frameLine().FindStringSubmatch(line); m != nil {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return event{}
		}
		return event{kind: kindFrame, clock: m[1], time: parseClock(m[1]), number: n}
	}
	if m := startLine().FindStringSubmatch(line); m != nil {
		return event{kind: kindStart, time: parseClock(m[1])}
	}
	if m := durationLine().FindStringSubmatch(line); m != nil {
		return event{kind: kindDuration, time: parseClock(m[1])}
	}
	if m := rateLine().FindStringSubmatch(line); m != nil {
		rate, err := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
		if err != nil || !(rate > 0 && rate <= 1000) {
			return event{}
		}
		return event{kind: kindRate, rate: rate}
	}
	if m := reusedLine().FindStringSubmatch(line); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return event{}
		}
		return event{kind: kindReused, number: n}
	}
	switch {
	case finishedLine().MatchString(line):
		return event{kind: kindFinished}
	case launchedLine().MatchString(line):
		return event{kind: kindLaunched}
	}
	return event{}
}

func parseMessage(line string) event {
	if m := errorLine().FindStringSubmatch(line); m != nil {
		text := m[1]
		for {
			inner := errorLine().FindStringSubmatch(text)
			if inner == nil || inner[1] == "" {
				break
			}
			text = inner[1]
		}
		return event{kind: kindError, text: strings.TrimSpace(strings.TrimPrefix(text, "Error: "))}
	}
	if m := weakLine().FindStringSubmatch(line); m != nil && m[1] != "" {
		return event{kind: kindComplaint, text: m[1]}
	}
	if m := warningLine().FindStringSubmatch(line); m != nil && m[1] != "" {
		return event{kind: kindWarning, text: m[1]}
	}
	return event{}
}

// clock is a time as After Effects displays it: parts of a timecode, or one count of frames.
type clock struct {
	parts [4]int // hours, minutes, seconds, frames; for a plain count only frames
	plain bool
	drop  bool
	ok    bool
}

func parseClock(s string) clock {
	c := clock{drop: strings.Contains(s, ";")}
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ':' || r == ';' })
	switch len(fields) {
	case 1:
		n, err := strconv.Atoi(fields[0])
		c.plain, c.ok, c.parts[3] = true, err == nil && n >= 0, n
	case 4:
		c.ok = true
		for i, f := range fields {
			n, err := strconv.Atoi(f)
			if err != nil || n < 0 || n > 1<<20 {
				return clock{}
			}
			c.parts[i] = n
		}
	}
	return c
}

// frames is how many frames the time holds at a rate in frames per second.
func (c clock) frames(rate float64) (int, bool) {
	if !c.ok {
		return 0, false
	}
	if c.plain {
		return c.parts[3], true
	}
	nominal := int(math.Round(rate))
	if nominal <= 0 {
		return 0, false
	}
	minutes := c.parts[0]*60 + c.parts[1]
	n := (minutes*60+c.parts[2])*nominal + c.parts[3]
	if c.drop && nominal%30 == 0 {
		// Drop-frame timecode leaves out the first two numbers (per 30) of every minute that is no multiple of ten.
		n -= nominal / 15 * (minutes - minutes/10)
	}
	return n, true
}
