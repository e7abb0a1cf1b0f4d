package frames

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func head(w, h int, f Format) Head {
	return Head{Engine: "embedded", Width: w, Height: h, Format: f, RateNum: 24000, RateDen: 1001}
}

// picture is a frame that looks like one: surfaces, a gradient, some noise.
func picture(h Head, number int) []byte {
	rnd := rand.New(rand.NewPCG(1, uint64(number)))
	pix := make([]byte, h.Size())
	for i := range pix {
		switch at := i * 4 / len(pix); at {
		case 0:
			pix[i] = byte(number)
		case 1:
			pix[i] = byte(i / 7)
		case 2:
			pix[i] = byte(rnd.Uint32())
		}
	}
	return pix
}

func written(t testing.TB, h Head, numbers ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, n := range numbers {
		if err := w.Write(n, picture(h, n)); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// readAll gives the numbers of the frames that are whole and of those that are not.
func readAll(t testing.TB, b []byte) (whole, damaged []int) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		n, pix, err := r.Next()
		var d *Damaged
		switch {
		case errors.Is(err, io.EOF):
			return whole, damaged
		case errors.As(err, &d):
			damaged = append(damaged, d.Number)
			continue
		case err != nil:
			t.Fatal(err)
		}
		if !bytes.Equal(pix, picture(r.Head(), n)) {
			t.Fatalf("frame %d came back as another", n)
		}
		whole = append(whole, n)
	}
}

func TestFramesComeBackBitForBit(t *testing.T) {
	for _, f := range []Format{RGB24, RGBA, ARGB, RGB48, RGBA64} {
		for _, size := range [][2]int{{1, 1}, {63, 47}, {640, 360}} {
			whole, damaged := readAll(t, written(t, head(size[0], size[1], f), 0, 1, 7, 100000))
			if !slices.Equal(whole, []int{0, 1, 7, 100000}) || damaged != nil {
				t.Errorf("%s, %v: %v whole, %v damaged", f, size, whole, damaged)
			}
		}
	}
}

func TestOneDamagedFrameIsNamedAndTheOthersStay(t *testing.T) {
	h := head(64, 48, RGBA)
	good := written(t, h, 10, 11, 12, 13)
	start := len(written(t, h, 10, 11))
	end := len(written(t, h, 10, 11, 12))
	for _, at := range []int{start, start + 5, start + 9, start + 20, start + recordHead, end - 1} {
		b := bytes.Clone(good)
		b[at] ^= 0x40
		whole, damaged := readAll(t, b)
		if !slices.Equal(whole, []int{10, 11, 13}) || len(damaged) != 1 || damaged[0] != 12 && damaged[0] != -1 {
			t.Errorf("byte %d of the record: %v whole, %v damaged", at-start, whole, damaged)
		}
	}
}

func TestAFileThatBreaksOffKeepsItsWholeFrames(t *testing.T) {
	h := head(16, 16, RGB24)
	good := written(t, h, 0, 1, 2)
	two := len(written(t, h, 0, 1))
	begin := len(written(t, h))
	for n := begin; n <= len(good); n++ {
		whole, _ := readAll(t, good[:n])
		var g Growth
		if err := g.Look(bytes.NewReader(good), int64(n)); err != nil {
			t.Fatal(err)
		}
		if len(whole) != g.Frames || n >= two && n < len(good) && (g.Frames != 2 || g.Last != 1 || g.End != int64(two)) {
			t.Fatalf("%d of %d bytes: %v whole, growth %+v", n, len(good), whole, g)
		}
	}
	for n := range begin {
		var g Growth
		if err := g.Look(bytes.NewReader(good), int64(n)); err != nil || g.End != 0 || g.Frames != 0 {
			t.Fatalf("%d bytes of the beginning: %+v, %v", n, g, err)
		}
		if _, err := NewReader(bytes.NewReader(good[:n])); !errors.Is(err, ErrFormat) {
			t.Fatalf("%d bytes of the beginning were taken: %v", n, err)
		}
	}
}

func TestGrowthEndsAtTheFirstGap(t *testing.T) {
	b := written(t, head(4, 4, RGB24), 5, 6, 8, 9)
	var g Growth
	if err := g.Look(bytes.NewReader(b), int64(len(b))); err != nil || g.First != 5 || g.Last != 6 || g.Frames != 4 {
		t.Fatalf("%+v, %v", g, err)
	}
}

func TestWhatCannotBeAFrameIsNotWritten(t *testing.T) {
	if _, err := NewWriter(io.Discard, head(0, 5, RGBA)); err == nil {
		t.Error("frames without width were begun")
	}
	if _, err := NewWriter(io.Discard, head(20000, 20000, RGBA)); err == nil {
		t.Error("frames of 400 megapixels were begun")
	}
	if _, err := NewWriter(io.Discard, head(4, 4, "yuv420p")); err == nil {
		t.Error("a format that is not known was begun")
	}
	w, err := NewWriter(io.Discard, head(4, 4, RGBA))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for number, size := range map[int]int{3: 63, -1: 64} {
		if w.Write(number, make([]byte, size)) == nil {
			t.Errorf("frame %d of %d bytes was written", number, size)
		}
	}
	if err := w.Write(3, make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	if w.Write(3, make([]byte, 64)) == nil {
		t.Error("a frame was written twice")
	}
}

func FuzzReader(f *testing.F) {
	good := written(f, head(8, 8, RGBA), 0, 1, 2)
	f.Add(good)
	f.Add(good[:len(good)-3])
	f.Add(append(bytes.Clone(good[:150]), good...))
	f.Add([]byte(magic + "\x02\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var g Growth
		_ = g.Look(bytes.NewReader(b), int64(len(b))) // must only not fail badly
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		defer r.Close()
		if r.Head().Size() > 1<<24 {
			return
		}
		for range len(b) + 2 {
			_, pix, err := r.Next()
			var d *Damaged
			if errors.As(err, &d) {
				continue
			}
			if err != nil {
				return
			}
			if len(pix) != r.Head().Size() {
				t.Fatalf("a frame of %d bytes, not %d", len(pix), r.Head().Size())
			}
		}
		t.Fatal("the file does not end")
	})
}

func BenchmarkFrames(b *testing.B) {
	h := head(1920, 1080, RGBA)
	pix := picture(h, 3)
	p, err := NewPacker(h)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	b.Run("pack", func(b *testing.B) {
		b.SetBytes(int64(h.Size()))
		for b.Loop() {
			out, err := p.Pack(1, bytes.Clone(pix))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(out)), "bytes")
		}
	})
	file := written(b, h, 3)
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(h.Size()))
		for b.Loop() {
			r, err := NewReader(bytes.NewReader(file))
			if err != nil {
				b.Fatal(err)
			}
			if _, _, err := r.Next(); err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
}
