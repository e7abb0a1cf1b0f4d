package aerender

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"time"

	"overcrank/engine/encode"
	"overcrank/engine/raster"
	"overcrank/frames"
)

// assembly encodes frames that this engine drew, here or on other machines, into their film or pictures. The encoder
// gets exactly the pixels that a render of the whole would have given it.
type assembly struct {
	out      *lines
	flags    flags
	in       *frames.Reader
	template encode.Template
	name     encode.Name
}

// assemble carries out -assemble.
func assemble(ctx context.Context, stdin io.Reader, out *lines, f flags) error {
	if f.start == nil || f.end == nil || *f.end < *f.start || f.output == "" {
		return fail(exitRuntime, "-assemble needs -output, -s and -e.")
	}
	a := &assembly{out: out, flags: f, template: encode.ForFile(f.output)}
	var ok bool
	if f.outputModule != "" {
		if a.template, ok = encode.Lookup(f.outputModule); !ok {
			return fail(exitRuntime, "No output module template was found with the given name.")
		}
	}
	var err error
	if a.name, _, err = encode.ParseName(absoluteOutput(f.output), a.template, *f.end-*f.start+1); err != nil {
		return fail(exitRuntime, "%w", err)
	}
	if f.assemble != scriptInput {
		file, err := os.Open(f.assemble)
		if err != nil {
			return fail(exitRuntime, "The frames can't be read: %w", err)
		}
		defer file.Close()
		stdin = file
	}
	if a.in, err = frames.NewReader(stdin); err != nil {
		return fail(exitRuntime, "The frames can't be read: %w", err)
	}
	defer a.in.Close()
	if h := a.in.Head(); h.Engine != encode.EngineKind || h.Format != frames.RGBA {
		return fail(exitRuntime, "The frames were not drawn by this engine.")
	}
	if err := a.write(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return fail(exitRender, "After Effects error: %w", err)
	}
	return nil
}

func (a *assembly) write(ctx context.Context) error {
	h, first, last := a.in.Head(), *a.flags.start, *a.flags.end
	rate := float64(h.RateNum) / float64(h.RateDen)
	began := time.Now()
	title := filepath.Base(a.name.Path)
	a.out.stamped("Starting composition %q.", title)
	a.out.item("Output Module: %s", a.template.Name)
	a.out.item("Start: %s", timecode(first, rate, false))
	a.out.item("End: %s", timecode(last, rate, false))
	a.out.item("Duration: %s", timecode(last-first+1, rate, false))
	a.out.item("Frame Rate: %.2f (comp)", rate)
	spec := encode.Spec{Template: a.template, Name: a.name, Width: h.Width, Height: h.Height, RateNum: h.RateNum, RateDen: h.RateDen, Cuts: within(h.CutList(), first, last)}
	if a.template.Film {
		spec.Audio = func(context.Context) (string, error) { return a.flags.audio, nil }
	}
	out, err := encode.Open(ctx, spec)
	if err != nil {
		return err
	}
	defer out.Abort()
	thumbs := newThumbnails(environment("OVERCRANK_THUMBS", ""), last-first+1)
	for n := first; n <= last; n++ {
		number, pix, err := a.in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("frame %d is missing", n)
		case err != nil:
			return err
		case number != n:
			return fmt.Errorf("frame %d is missing: the next one is frame %d", n, number)
		}
		img := &raster.Image{Pix: pix, Stride: 4 * h.Width, Rect: image.Rect(0, 0, h.Width, h.Height)}
		if err := out.Write(n, img); err != nil {
			return err
		}
		if err := thumbs.add(n, func() *raster.Image { return img }); err != nil {
			a.out.warning(fmt.Sprintf("thumbnails can't be written: %v", err))
		}
		a.out.item("%s (%d): %s", timecode(n, rate, false), n-first+1, elapsed(0))
	}
	files, err := out.Close()
	if err != nil {
		return err
	}
	a.out.stamped("Finished composition %q.", title)
	a.out.item("Output To: %s", files[0])
	a.out.item("Total Time Elapsed: %s", elapsed(time.Since(began)))
	return nil
}
