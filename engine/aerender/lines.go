package aerender

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// lines prints as aerender does, each message on one line. It is safe for concurrent use.
type lines struct {
	mu       sync.Mutex
	out      io.Writer
	log      *os.File
	quiet    bool
	warnings map[string]bool
	hear     func(string) // if set, hears the warnings instead, and nothing is printed
}

func newLines(out io.Writer, f flags) (*lines, error) {
	l := &lines{out: out, quiet: f.errorsOnly, warnings: map[string]bool{}}
	if f.log != "" {
		file, err := os.Create(f.log)
		if err != nil {
			return nil, fmt.Errorf("the log can't be written: %w", err)
		}
		l.log = file
	}
	return l, nil
}

func (l *lines) close() {
	if l.log != nil {
		_ = l.log.Close() // an incomplete log must not fail a complete render
	}
}

// say prints one line, unless somebody hears the warnings. Line breaks in it become spaces, so that no text can forge a second line.
func (l *lines) say(format string, args ...any) {
	if l.hear != nil {
		return
	}
	line := strings.Join(strings.FieldsFunc(fmt.Sprintf(format, args...), func(r rune) bool {
		return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == 0x85
	}), " ") + "\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.out, line)
	if l.log != nil {
		_, _ = l.log.WriteString(line)
	}
}

// progress prints a line about the program.
func (l *lines) progress(format string, args ...any) {
	if !l.quiet {
		l.say("PROGRESS: "+format, args...)
	}
}

// item prints a line about the composition that renders, which aerender sets apart by one more space.
func (l *lines) item(format string, args ...any) { l.progress(" "+format, args...) }

// stamped prints a line about the composition with the time of day.
func (l *lines) stamped(format string, args ...any) {
	l.item("%s: %s", time.Now().Format("1/2/2006 3:04:05 PM"), fmt.Sprintf(format, args...))
}

func (l *lines) info(text string) { l.say("INFO:%s", text) }

// warning prints a warning unless it has been printed before.
func (l *lines) warning(text string) {
	l.mu.Lock()
	known := l.warnings[text]
	l.warnings[text] = true
	l.mu.Unlock()
	switch {
	case known:
	case l.hear != nil:
		l.hear(text)
	default:
		l.say("WARNING:After Effects warning: %s", text)
	}
}

func (l *lines) error(err error) { l.say("aerender ERROR: %v", err) }

// Write prints what a script writes, marked as the script's: a line of it may look like those of aerender that say how
// the render went.
func (l *lines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			l.say("INFO:script: %s", line)
		}
	}
	return len(p), nil
}
