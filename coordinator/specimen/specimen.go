// Package specimen draws fonts in their own face. Fonts come from untrusted sources, and the outlines of a small one can demand a lot: so each is
// drawn in a child process with limits, which can be killed without harm.
package specimen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"overcrank/coordinator/child"
	"overcrank/fontfile"
)

const (
	// most is how much memory drawing may take, in bytes: the largest font is read several times over.
	most = 512 << 20
	// life is how long it may take. An honest font takes some milliseconds.
	life = 10 * time.Second
	// maxSVG is the largest picture, in bytes; an ordinary one has 8 KB.
	maxSVG = 1 << 20
)

// ErrNone says that there is no specimen of a font: it draws nothing, or demands too much.
var ErrNone = errors.New("there is no specimen of this font")

// job is what the child process is told.
type job struct {
	Path   string `json:"path"`
	Number int    `json:"number"`
	Memory int64  `json:"memory"`
}

// answer is what the child process writes: a picture, or why the font has none, or what went wrong.
type answer struct {
	SVG     []byte `json:"svg,omitempty"`
	None    string `json:"none,omitempty"`
	Trouble string `json:"trouble,omitempty"`
}

// Main is the child process. It reads a job from stdin, which stays open while an answer is wanted, and writes the answer to stdout.
func Main(_ context.Context, stdin io.Reader, stdout io.Writer) error {
	in := json.NewDecoder(stdin)
	var j job
	if err := in.Decode(&j); err != nil {
		return fmt.Errorf("reading the job from stdin: %w", err)
	}
	go child.EndWith(io.MultiReader(in.Buffered(), stdin))
	if err := child.Confine(j.Memory); err != nil {
		return err
	}
	a := answerTo(j)
	child.CheckMemory(j.Memory)
	return json.NewEncoder(stdout).Encode(a)
}

func answerTo(j job) answer {
	svg, err := draw(j.Path, j.Number)
	var no *fontfile.Refusal
	switch {
	case errors.As(err, &no):
		return answer{None: no.Reason}
	case err != nil:
		return answer{Trouble: err.Error()}
	case len(svg) > maxSVG:
		return answer{None: fmt.Sprintf("its picture has %d bytes", len(svg))}
	}
	return answer{SVG: svg}
}

func draw(path string, number int) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a font: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("opening a font: %w", err)
	}
	s, err := fontfile.Draw(file, info.Size(), number)
	if err != nil {
		return nil, err
	}
	return s.SVG(), nil
}

// Draw draws a face of the font file at a path, by its number within a collection, in a child process: program and its first arguments, which must
// call Main. With an empty program it draws in this process, for tests of other things. ErrNone says why there is no picture; any other error says
// nothing about the font.
func Draw(ctx context.Context, program []string, path string, number int) ([]byte, error) {
	if len(program) == 0 {
		return answerTo(job{Path: path, Number: number}).result()
	}
	within, cancel := context.WithTimeout(ctx, life)
	defer cancel()
	text, err := child.Ask(within, program, job{Path: path, Number: number, Memory: most}, 2*maxSVG) // the answer has it in base64
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, fmt.Errorf("%w: drawing it took longer than %s", ErrNone, life)
	case errors.Is(err, child.ErrMemory), errors.Is(err, child.ErrLarge), errors.Is(err, child.ErrCrash):
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	case err != nil:
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("%w: its answer is damaged", ErrNone)
	}
	return a.result()
}

func (a answer) result() ([]byte, error) {
	switch {
	case a.None != "":
		return nil, fmt.Errorf("%w: %s", ErrNone, a.None)
	case a.SVG == nil:
		return nil, fmt.Errorf("drawing a font: %s", a.Trouble)
	}
	return a.SVG, nil
}
