package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows how far something long has come: as a moving bar on a terminal, as a line every tenth part elsewhere.
type bar struct {
	w     io.Writer
	label string
	moves *progressbar.ProgressBar
	tenth int
}

func newBar(w io.Writer, label string) *bar {
	b := &bar{w: w, label: label, tenth: -1}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		b.moves = progressbar.NewOptions(1000, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(label),
			progressbar.OptionSetWidth(36), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish())
	}
	return b
}

// set moves the bar to percent, 0–100, with a word on what goes on.
func (b *bar) set(percent float64, word string) {
	if b.moves != nil {
		if word != "" {
			b.moves.Describe(b.label + " · " + word)
		}
		_ = b.moves.Set(int(percent * 10))
		return
	}
	if t := int(percent / 10); t > b.tenth {
		b.tenth = t
		if word != "" {
			word = " · " + word
		}
		fmt.Fprintf(b.w, "%s %3.0f %%%s\n", b.label, percent, word)
	}
}

// bytes is set for a transfer.
func (b *bar) bytes(done, total int64) {
	if total > 0 {
		b.set(100*float64(done)/float64(total), "")
	}
}

// end takes the bar away.
func (b *bar) end() {
	if b.moves != nil {
		_ = b.moves.Finish()
	}
}
