package page

import (
	"context"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"overcrank/farm"
	"overcrank/web/language"
)

// Log is a stretch of a job's log, in sections.
type Log struct {
	Job      string
	From     int64 // offset of the first line; more stands before it unless it is 0
	Next     int64 // offset behind the last line, from which on the page is told the log live
	Sections []LogSection
	Cure     *FailureGroup // why the job failed, and what helps; nil for one that did not fail or that nobody has to deal with
}

// LogSection is what was said in one phase of one attempt.
type LogSection struct {
	Title  string
	Took   string // "" where that was not measured
	Lines  []string
	Errors int // different ones: engine, agent and farm each say why an attempt failed
	Open   bool
	errors []string // the latest of them, as errorText has them
}

// The phases of an attempt, by what its machine says when one begins.
var logPhases = []struct {
	title  string
	begins []string
}{
	{language.Text("Footage"), []string{"fetching the project", "this machine has the project unpacked"}},
	{language.Text("Open"), []string{"composition '", "rendering with "}},
	{language.Text("Expressions"), []string{"putting the assets into the project"}},
	{language.Text("Render"), []string{"PROGRESS:"}},
	{language.Text("Encode"), []string{"putting "}},
	{language.Text("Check"), []string{"the film is whole", "the picture is whole"}},
	{language.Text("Upload"), []string{"uploading ", "the result is with the farm", "a small film to look at"}},
}

// agentSays begins what an agent says itself; engines' lines stand as they are.
const agentSays = "agent: "

// phaseOf is the place, in the list of phases, of the first phase that a line belongs to for certain; -1 for a line that goes with the one before.
func phaseOf(line string) int {
	line = strings.TrimPrefix(line, agentSays)
	for i, phase := range logPhases {
		for _, begin := range phase.begins {
			if strings.HasPrefix(line, begin) {
				return i
			}
		}
	}
	return -1
}

// LogTurns says whether a line begins an attempt or may begin a phase, so that sections are to be drawn anew.
func LogTurns(line string) bool {
	return beginsAttempt(line) || phaseOf(line) >= 0 && !strings.HasPrefix(line, "PROGRESS:")
}

func beginsAttempt(line string) bool {
	rest, found := strings.CutPrefix(line, agentSays+"attempt ")
	number, machine, on := strings.Cut(rest, " on ")
	return found && on && machine != "" && number != "" && strings.Trim(number, "0123456789") == ""
}

// LogOf puts lines into sections: by attempt and phase, or all of them into one where machines that work at the same time write between each
// other's lines.
func LogOf(ctx context.Context, job farm.Job, lines []string, from int64, attempts []farm.AttemptRecord) Log {
	log := Log{Job: job.ID, From: from}
	if len(lines) == 0 {
		return log
	}
	if overlapping(attempts) {
		log.Sections = []LogSection{{Title: say(ctx, "All machines"), Open: true}}
		for _, line := range lines {
			log.add(line)
		}
		return log
	}
	phase := -1
	var now farm.AttemptRecord
	log.Sections = []LogSection{{Title: say(ctx, "Before")}}
	if from > 0 {
		log.Sections[0].Title = say(ctx, "Continued")
	}
	for _, line := range lines {
		switch next := phaseOf(line); {
		case beginsAttempt(line):
			phase, now = -1, attemptCalled(line, attempts)
			took := ""
			if !now.EndedAt.IsZero() {
				took = lasted(ctx, now)
			}
			log.Sections = append(log.Sections, LogSection{Title: attemptTitle(ctx, line), Took: took})
		case next > phase:
			phase = next
			log.Sections = append(log.Sections, LogSection{Title: say(ctx, logPhases[next].title), Took: phaseTook(ctx, logPhases[next].title, now.Measured)})
		}
		log.add(line)
	}
	if len(log.Sections[0].Lines) == 0 {
		log.Sections = log.Sections[1:]
	}
	for i := range log.Sections {
		log.Sections[i].Open = log.Sections[i].Errors > 0 || i == len(log.Sections)-1
	}
	return log
}

func (l *Log) add(line string) {
	s := &l.Sections[len(l.Sections)-1]
	s.Lines = append(s.Lines, line)
	if logClass(line) == "fail" {
		s.addError(errorText(line))
	}
}

// errorsCompared is among how many of the latest errors one is looked for that is said again.
const errorsCompared = 16

// addError counts an error, unless it says again, or more of, what a line just before has said.
func (s *LogSection) addError(text string) {
	for i, said := range s.errors {
		switch {
		case standsIn(text, said):
			return
		case standsIn(said, text):
			s.errors[i] = text
			return
		}
	}
	s.Errors++
	s.errors = append(s.errors[max(0, len(s.errors)+1-errorsCompared):], text)
}

// standsIn tells whether a text is part of another, and neither begins nor ends within a word there: frame 1 is not part of frame 12.
func standsIn(text, whole string) bool {
	before, after, found := strings.Cut(whole, text)
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return found && !ofWord(last) && !ofWord(next)
}

func ofWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// saysWho are the ways in which lines begin that pass an error on.
var saysWho = regexp.MustCompile(`^(?:agent: |(?:aerender )?ERROR: |attempt \d+ failed: |the job failed: )+`)

// errorText is what a line says of an error, without who says it.
func errorText(line string) string { return strings.TrimSpace(saysWho.ReplaceAllString(line, "")) }

// overlapping says whether machines worked at the same time.
func overlapping(attempts []farm.AttemptRecord) bool {
	for i, a := range attempts {
		for _, b := range attempts[:i] {
			endsBefore := func(x, y farm.AttemptRecord) bool { return !x.EndedAt.IsZero() && !x.EndedAt.After(y.LeasedAt) }
			if !endsBefore(a, b) && !endsBefore(b, a) {
				return true
			}
		}
		if i == 200 { // so many one after the other are those of one task; looking on costs too much
			return false
		}
	}
	return false
}

// attemptCalled is the attempt that a line begins, as the state has it.
func attemptCalled(line string, attempts []farm.AttemptRecord) farm.AttemptRecord {
	number, machine := attemptOn(line)
	for _, a := range attempts {
		if count(a.Number) == number && (a.AgentName == machine || a.AgentName == "") {
			return a
		}
	}
	return farm.AttemptRecord{}
}

// attemptOn are the number and the machine of the attempt that a line begins.
func attemptOn(line string) (number, machine string) {
	number, machine, _ = strings.Cut(strings.TrimPrefix(line, agentSays+"attempt "), " on ")
	return number, machine
}

func attemptTitle(ctx context.Context, line string) string {
	number, machine := attemptOn(line)
	return say(ctx, "Attempt %s on %s", number, machine)
}

// phaseTook is how long a phase took, as far as that was measured.
func phaseTook(ctx context.Context, title string, m farm.Measured) string {
	seconds := map[string]float64{"Footage": m.FetchSeconds, "Open": m.StartSeconds, "Render": m.FrameSeconds}[title]
	if seconds <= 0 {
		return ""
	}
	return inWords(ctx).Duration(time.Duration(seconds * float64(time.Second)).Round(10 * time.Millisecond))
}

// failLine is the last line that tells of an error, where what helps stands; -1 for none.
func (s LogSection) failLine() int {
	for i := len(s.Lines) - 1; i >= 0; i-- {
		if logClass(s.Lines[i]) == "fail" {
			return i
		}
	}
	return -1
}

// cureAt is the section in which what helps stands; -1 for none.
func (l Log) cureAt() int {
	if l.Cure == nil {
		return -1
	}
	for i := len(l.Sections) - 1; i >= 0; i-- {
		if l.Sections[i].Errors > 0 {
			return i
		}
	}
	return -1
}
