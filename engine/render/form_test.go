package render_test

import (
	"bytes"
	"fmt"
	"iter"
	"testing"

	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// inverted is a form of frames of 60 by 60 pixels: their bytes, inverted.
func inverted(name string) render.Form {
	return render.Form{Name: name, Size: 60 * 60 * 4, Convert: func(to []byte, img *raster.Image) {
		for i, v := range img.Pix {
			to[i] = ^v
		}
	}}
}

// numbers are those from first to last.
func numbers(first, last int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := first; n <= last && yield(n); n++ {
		}
	}
}

func TestFramesInAnotherFormAreTheSameFrames(t *testing.T) {
	b, comp := card(t, nil)
	kept := &shelf{}
	plain := func() (out [][]byte) {
		r := b.renderer(comp, render.Options{Workers: 3, Footage: openFile, Kept: kept})
		if err := r.Frames(t.Context(), 0, 19, 1, func(_ int, img *raster.Image) error {
			out = append(out, bytes.Clone(img.Pix))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := plain()
	for i, test := range []struct {
		name   string
		reused int
	}{{"inverted", 0}, {"inverted", 20}, {"inverted, 2", 0}} {
		r := b.renderer(comp, render.Options{Workers: 3, Footage: openFile, Kept: kept})
		at := 0
		err := r.Formed(t.Context(), inverted(test.name), numbers(0, 19), func(n int, frame *render.FormedFrame) error {
			formed := frame.Pix()
			if n != at {
				return fmt.Errorf("frame %d came in place of %d", n, at)
			}
			for i, v := range formed {
				if v != ^want[n][i] {
					return fmt.Errorf("byte %d of frame %d is %d, want %d", i, n, v, ^want[n][i])
				}
			}
			at++
			return nil
		})
		if err != nil || at != 20 {
			t.Fatalf("render %d: %d frames, %v", i, at, err)
		}
		if r.Reused() != test.reused {
			t.Errorf("render %d in the form %q used %d frames again, want %d", i, test.name, r.Reused(), test.reused)
		}
	}
	if again := plain(); !bytes.Equal(again[7], want[7]) {
		t.Error("an image was taken from the frames of another form")
	}
}

// TestAFrameThatIsHeldStaysAsItIs holds every frame of a render to its end, also those that look like the one before them.
func TestAFrameThatIsHeldStaysAsItIs(t *testing.T) {
	b, comp := card(t, nil)
	draw := func(hold bool) (out [][]byte) {
		var held []*render.FormedFrame
		var release []func()
		r := b.renderer(comp, render.Options{Workers: 3, Footage: openFile})
		err := r.Formed(t.Context(), inverted("inverted"), numbers(0, 19), func(_ int, frame *render.FormedFrame) error {
			if hold {
				held, release = append(held, frame), append(release, frame.Hold())
			} else {
				out = append(out, bytes.Clone(frame.Pix()))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, frame := range held {
			out = append(out, bytes.Clone(frame.Pix()))
			release[i]()
		}
		return out
	}
	want, got := draw(false), draw(true)
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("frame %d was drawn over", i)
		}
	}
}

func TestAFormNeedsANameAndASize(t *testing.T) {
	b, comp := card(t, nil)
	r := b.renderer(comp, render.Options{})
	for _, f := range []render.Form{{Size: 4}, {Name: "nothing"}} {
		if err := r.Formed(t.Context(), f, numbers(0, 1), func(int, *render.FormedFrame) error { return nil }); err == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
}
