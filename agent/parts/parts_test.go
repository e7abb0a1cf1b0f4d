package parts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/faults/leaktest"
	"overcrank/frames"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var head = frames.Head{Engine: "embedded", Width: 4, Height: 3, Format: frames.RGBA, RateNum: 25, RateDen: 1}

// file holds the frames from first to last, each filled with mark; without are left out.
func file(t testing.TB, head frames.Head, mark byte, first, last int, without ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := frames.NewWriter(&b, head)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for n := first; n <= last; n++ {
		if slices.Contains(without, n) {
			continue
		}
		if err := w.Write(n, bytes.Repeat([]byte{mark}, head.Size())); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func part(first, last int, b []byte) Part {
	return Part{Frames: farm.Frames{Start: first, End: last}, Open: func(context.Context) (io.ReadCloser, error) {
		if b == nil {
			return nil, ErrGone
		}
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
}

// gathered is a sink that keeps what it gets, and checks that the records are a file.
type gathered struct {
	numbers []int
	marks   []byte
	file    bytes.Buffer
}

func (g *gathered) Begin(head frames.Head) error {
	b, err := head.Begin()
	g.file.Write(b)
	return err
}

func (g *gathered) Frame(number int, pix, record []byte) error {
	g.numbers, g.marks = append(g.numbers, number), append(g.marks, pix[0])
	g.file.Write(record)
	return nil
}

func TestPartsAreReadAsOne(t *testing.T) {
	var g gathered
	list := []Part{part(10, 14, file(t, head, 1, 10, 14)), part(20, 22, file(t, head, 3, 20, 22)), part(15, 19, file(t, head, 2, 15, 19)), part(12, 12, file(t, head, 9, 12, 12))}
	if err := Read(t.Context(), farm.Frames{Start: 10, End: 22}, list, &g); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%d %d", g.numbers, g.marks), "[10 11 12 13 14 15 16 17 18 19 20 21 22] [1 1 9 1 1 2 2 2 2 2 3 3 3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r, err := frames.NewReader(&g.file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for n := 10; n <= 22; n++ {
		if number, _, err := r.Next(); err != nil || number != n {
			t.Fatalf("the records give frame %d, %v, want %d", number, err, n)
		}
	}
}

func TestMissingAndDamagedFramesAreNamedAll(t *testing.T) {
	damaged := file(t, head, 1, 0, 9)
	record := (len(damaged) - len(file(t, head, 1, 0, -1))) / 10
	damaged[len(damaged)-5*record+60] ^= 1 // frame 5
	cut := file(t, head, 1, 20, 29)
	cut = cut[:len(cut)-3*record+4] // frames 27 to 29
	for name, c := range map[string]struct {
		list []Part
		want string
	}{
		"damaged": {[]Part{part(0, 9, damaged)}, "[{5 5 false}]"},
		"left out, broken off, gone, not covered": {[]Part{
			part(0, 9, file(t, head, 1, 0, 9, 3, 9)), part(10, 14, nil), part(20, 29, cut),
		}, "[{3 3 false} {9 19 false} {27 29 false}]"},
		"no file of frames": {[]Part{part(0, 9, []byte("no frames")), part(10, 29, file(t, head, 1, 10, 29))}, "[{0 9 false}]"},
		"other frames":      {[]Part{part(0, 9, file(t, head, 1, 4, 13)), part(10, 29, file(t, head, 1, 10, 29))}, "[{0 3 false}]"},
		"mended":            {[]Part{part(0, 9, damaged), part(5, 5, file(t, head, 2, 5, 5)), part(10, 29, file(t, head, 1, 10, 29))}, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			want := farm.Frames{Start: 0, End: 29}
			if name == "damaged" {
				want.End = 9
			}
			var missing *Missing
			err := Read(t.Context(), want, c.list, &gathered{})
			if !errors.As(err, &missing) {
				missing = &Missing{}
			}
			if got := fmt.Sprint(missing.Frames); got != c.want || err != nil && len(missing.Frames) == 0 {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestPartsOfTwoEnginesAreRefused(t *testing.T) {
	other := head
	other.Engine = "aftereffects"
	err := Read(t.Context(), farm.Frames{Start: 0, End: 3}, []Part{part(0, 1, file(t, head, 1, 0, 1)), part(2, 3, file(t, other, 1, 2, 3))}, &gathered{})
	if !errors.Is(err, ErrMixed) {
		t.Errorf("got %v", err)
	}
}

func TestAPartThatDoesNotComeEndsTheReading(t *testing.T) {
	broken := errors.New("the line broke")
	list := []Part{part(0, 1, file(t, head, 1, 0, 1)), {Frames: farm.Frames{Start: 2, End: 3}, Open: func(context.Context) (io.ReadCloser, error) { return nil, broken }}}
	if err := Read(t.Context(), farm.Frames{Start: 0, End: 3}, list, &gathered{}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	list[1].Open = func(ctx context.Context) (io.ReadCloser, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := Read(ctx, farm.Frames{Start: 0, End: 3}, list, &gathered{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// However ranges overlap, each frame comes from the last part that covers it.
func TestTheLastPartCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		end := rapid.IntRange(0, 30).Draw(rt, "end")
		owner := make([]int, end+1)
		var list []Part
		for mark := range rapid.IntRange(1, 6).Draw(rt, "parts") {
			first := rapid.IntRange(0, end).Draw(rt, "first")
			last := rapid.IntRange(first, end).Draw(rt, "last")
			list = append(list, part(first, last, file(t, head, byte(mark+1), first, last)))
			for n := first; n <= last; n++ {
				owner[n] = mark + 1
			}
		}
		var g gathered
		err := Read(t.Context(), farm.Frames{Start: 0, End: end}, list, &g)
		var missing *Missing
		if errors.As(err, &missing) {
			for _, f := range missing.Frames {
				for n := f.Start; n <= f.End; n++ {
					if owner[n] != 0 {
						rt.Fatalf("frame %d is said to be missing", n)
					}
					owner[n] = -1
				}
			}
			if slices.Contains(owner, 0) {
				rt.Fatalf("not all missing frames are named: %v", missing.Frames)
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		for n, mark := range g.marks {
			if int(mark) != owner[n] {
				rt.Fatalf("frame %d comes from part %d, not %d", n, mark, owner[n])
			}
		}
		if len(g.marks) != end+1 {
			rt.Fatalf("%d frames came, not %d", len(g.marks), end+1)
		}
	})
}
