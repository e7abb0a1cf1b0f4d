package preview

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"overcrank/coordinator/child"
)

// Opening is what a process is told first: which project it keeps open.
type Opening struct {
	Path  string `json:"path"`  // of the template's file
	Name  string `json:"name"`  // that the file had
	Type  string `json:"type"`  // aep, zip or mogrt
	Dir   string `json:"dir"`   // the only folder that is read; what it has for the process is in fonts and files
	Fonts string `json:"fonts"` // folder of the team's fonts
	// MinFree is how many bytes must stay free on the disk of Dir, MostUnpacked how many an archive may unpack to.
	MinFree      int64 `json:"minFree"`
	MostUnpacked int64 `json:"mostUnpacked"`
	Memory       int64 `json:"memory"` // limit of the process, in bytes
}

// Refusal is why a frame cannot be drawn that whoever asked can mend, in words for them.
type Refusal struct{ Message string }

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

// Stage draws frames of one project. One goroutine at a time uses it.
type Stage interface {
	// Draw draws a frame, and ends soon after ctx. Its errors are *Refusal for what whoever asked can mend.
	Draw(ctx context.Context, shot Shot) (Picture, error)
	// Rest is called between frames.
	Rest(ctx context.Context)
}

// request asks for a frame, or, without one, that the drawing of that number stops.
type request struct {
	N    int   `json:"n"`
	Shot *Shot `json:"shot,omitempty"`
}

// answer is what a request came to.
type answer struct {
	N       int      `json:"n"`
	Picture *Picture `json:"picture,omitempty"`
	Refused string   `json:"refused,omitempty"`
	Trouble string   `json:"trouble,omitempty"`
}

// job is a request in hand.
type job struct {
	n    int
	shot Shot
	ctx  context.Context
}

// Main is the child process. It reads an Opening and then requests from stdin, draws one after the other, and ends when stdin does.
func Main(ctx context.Context, stdin io.Reader, stdout io.Writer, open func(ctx context.Context, o Opening) Stage) error {
	in := json.NewDecoder(bufio.NewReader(stdin))
	var o Opening
	if err := in.Decode(&o); err != nil {
		return fmt.Errorf("reading what to open from stdin: %w", err)
	}
	if err := child.Confine(o.Memory); err != nil {
		return err
	}
	jobs := make(chan job, 1) // what is asked for while the stage rests
	go func() {
		listen(ctx, in, jobs)
		os.Exit(1) // nobody waits for an answer
	}()
	stage, out := open(ctx, o), json.NewEncoder(stdout)
	for j := range jobs {
		a := answer{N: j.n}
		picture, err := stage.Draw(j.ctx, j.shot)
		var refused *Refusal
		switch {
		case err == nil:
			a.Picture = &picture
		case errors.As(err, &refused):
			a.Refused = refused.Message
		default:
			a.Trouble = err.Error()
		}
		child.CheckMemory(o.Memory)
		if err := out.Encode(a); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
		stage.Rest(ctx)
	}
	return nil
}

// listen hands on what is asked for, until nothing more comes. A request that is to stop has its context ended.
func listen(ctx context.Context, in *json.Decoder, jobs chan<- job) {
	n, stop := 0, func() {}
	defer func() { stop() }()
	for {
		var r request
		if in.Decode(&r) != nil {
			return
		}
		if r.Shot == nil {
			if r.N == n {
				stop()
			}
			continue
		}
		stop() // one is drawn at a time: the one before has been answered
		within, cancel := context.WithCancel(ctx)
		n, stop = r.N, cancel
		jobs <- job{n, *r.Shot, within}
	}
}
