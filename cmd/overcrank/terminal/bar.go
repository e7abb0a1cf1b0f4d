// Package terminal shows tables and the progress of what takes long.
package terminal

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// quietFor is how long something may take without a word where no bar can move: short transfers would fill a script's log.
const quietFor = 2 * time.Second

// Bar shows how far something long has come: as a moving bar on a terminal, as a line every tenth part elsewhere.
type Bar struct {
	w     io.Writer
	label string
	moves *progressbar.ProgressBar
	began time.Time
	tenth int
}

// NewBar starts a bar that is drawn on w.
func NewBar(w io.Writer, label string) *Bar {
	b := &Bar{w: w, label: label, began: time.Now(), tenth: -1}
	if Is(w) {
		b.moves = progressbar.NewOptions(1000, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(label),
			progressbar.OptionSetWidth(36), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish())
	}
	return b
}

// Is tells whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Set moves the bar to percent, 0–100, with a word on what goes on.
func (b *Bar) Set(percent float64, word string) {
	if b.moves != nil {
		if word != "" {
			b.moves.Describe(b.label + " · " + word)
		}
		_ = b.moves.Set(int(percent * 10))
		return
	}
	if t := int(percent / 10); t > b.tenth && time.Since(b.began) >= quietFor {
		b.tenth = t
		if word != "" {
			word = " · " + word
		}
		fmt.Fprintf(b.w, "%s %3.0f %%%s\n", b.label, percent, word)
	}
}

// Bytes is Set for a transfer.
func (b *Bar) Bytes(done, total int64) {
	if total > 0 {
		b.Set(100*float64(done)/float64(total), "")
	}
}

// Say prints a line where the bar stands, which goes on below it.
func (b *Bar) Say(line string) {
	if b.moves != nil {
		_ = b.moves.Clear()
	}
	fmt.Fprintln(b.w, line)
}

// End takes the bar away.
func (b *Bar) End() {
	if b.moves != nil {
		_ = b.moves.Finish()
	}
}
