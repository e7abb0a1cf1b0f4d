package photoshop_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"overcrank/engine/footage/photoshop"
)

// The tests write files as the specification has them, in all ways in which values are packed.

// drawn is a layer that a test writes; its picture is one colour.
type drawn struct {
	name    string
	bounds  image.Rectangle
	colour  color.NRGBA
	blend   string
	opacity uint8
	hidden  bool
	clipped bool
	section uint32
	effects []byte
	ranges  []byte          // of values in which it blends
	mask    image.Rectangle // where the layer is seen, if it is not empty
}

type written struct {
	depth, packed int
	big           bool
	size          image.Point
	layers        []drawn
	patterns      []byte
	merged        *color.NRGBA // nil: the file has no merged picture
}

func (f written) u(b *bytes.Buffer, v int) {
	if f.big {
		_ = binary.Write(b, binary.BigEndian, uint64(v))
		return
	}
	_ = binary.Write(b, binary.BigEndian, uint32(v))
}

func be(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.BigEndian, v)
	}
}

// file is the whole file.
func (f written) file() []byte {
	var b bytes.Buffer
	version := uint16(1)
	if f.big {
		version = 2
	}
	b.WriteString("8BPS")
	be(&b, version, make([]byte, 6), uint16(4), uint32(f.size.Y), uint32(f.size.X), uint16(f.depth), uint16(3), uint32(0))
	real := byte(0)
	if f.merged != nil {
		real = 1
	}
	be(&b, uint32(8+4+6), []byte("8BIM"), uint16(1057), uint16(0), uint32(5), uint32(1), real, byte(0))
	info := f.info()
	var section bytes.Buffer
	if f.depth == 8 {
		f.u(&section, len(info))
		section.Write(info)
		be(&section, uint32(0))
	} else {
		f.u(&section, 0)
		be(&section, uint32(0), []byte(fmt.Sprintf("8BIMLr%d", f.depth)))
		f.u(&section, len(info))
		section.Write(info)
		section.Write(make([]byte, (4-len(info)%4)%4))
	}
	if len(f.patterns) > 0 {
		be(&section, []byte("8BIMPatt"), uint32(len(f.patterns)), f.patterns, make([]byte, (4-len(f.patterns)%4)%4))
	}
	f.u(&b, section.Len())
	b.Write(section.Bytes())
	if f.merged != nil {
		be(&b, uint16(0))
		onWhite := func(v uint8) uint8 { return uint8(255 - (255-int(v))*int(f.merged.A)/255) }
		for _, v := range []uint8{onWhite(f.merged.R), onWhite(f.merged.G), onWhite(f.merged.B), f.merged.A} {
			b.Write(f.plane(v, f.size.X*f.size.Y, true))
		}
	}
	return b.Bytes()
}

func (f written) info() []byte {
	var records, data bytes.Buffer
	be(&records, int16(-len(f.layers)))
	for _, l := range f.layers {
		be(&records, int32(l.bounds.Min.Y), int32(l.bounds.Min.X), int32(l.bounds.Max.Y), int32(l.bounds.Max.X))
		channels := map[int16][]byte{}
		order := []int16{-1, 0, 1, 2}
		if l.section > 0 { // no pixels
			order = nil
		}
		for i, v := range []uint8{l.colour.A, l.colour.R, l.colour.G, l.colour.B}[:len(order)] {
			channels[order[i]] = f.channel(v, l.bounds.Dx(), l.bounds.Dy(), i > 0)
		}
		if !l.mask.Empty() {
			order = append(order, -2)
			channels[-2] = f.channel(255, l.mask.Dx(), l.mask.Dy(), false)
		}
		be(&records, uint16(len(order)))
		for _, id := range order {
			be(&records, id)
			f.u(&records, len(channels[id]))
			data.Write(channels[id])
		}
		flags, clipped := uint8(0), uint8(0)
		if l.hidden {
			flags = 2
		}
		if l.clipped {
			clipped = 1
		}
		be(&records, []byte("8BIM"), []byte(l.blend), l.opacity, clipped, flags, uint8(0))
		extra := l.extra()
		be(&records, uint32(len(extra)), extra)
	}
	return append(records.Bytes(), data.Bytes()...)
}

func (l drawn) extra() []byte {
	var b bytes.Buffer
	if l.mask.Empty() {
		be(&b, uint32(0))
	} else {
		be(&b, uint32(20), int32(l.mask.Min.Y), int32(l.mask.Min.X), int32(l.mask.Max.Y), int32(l.mask.Max.X), uint8(0), uint8(0), uint16(0))
	}
	be(&b, uint32(len(l.ranges)), l.ranges, []byte{3, 'o', 'l', 'd'})
	units := utf16.Encode([]rune(l.name))
	be(&b, []byte("8BIMluni"), uint32(4+2*len(units)), uint32(len(units)), units)
	if len(l.effects) > 0 {
		be(&b, []byte("8BIMlfx2"), uint32(len(l.effects)), l.effects, make([]byte, len(l.effects)%2))
	}
	if l.section > 0 {
		be(&b, []byte("8BIMlsct"), uint32(12), l.section, []byte("8BIM"), []byte(l.blend))
	}
	return b.Bytes()
}

// plane are n equal values.
func (f written) plane(v uint8, n int, light bool) []byte {
	var b bytes.Buffer
	for range n {
		switch f.depth {
		case 8:
			b.WriteByte(v)
		case 16:
			be(&b, uint16(v)*257)
		case 32:
			linear := float64(v) / 255
			if light && v > 10 {
				linear = math.Pow((linear+0.055)/1.055, 2.4)
			} else if light {
				linear /= 12.92
			}
			be(&b, float32(linear))
		}
	}
	return b.Bytes()
}

// channel are the packed values of a channel.
func (f written) channel(v uint8, w, h int, light bool) []byte {
	var b bytes.Buffer
	be(&b, uint16(f.packed))
	raw := f.plane(v, w*h, light)
	row := len(raw) / h
	switch f.packed {
	case 0:
		b.Write(raw)
	case 1:
		var rows bytes.Buffer
		for y := range h {
			// The first byte as it is; of those behind it a run where they are the same.
			line := []byte{0, raw[y*row]}
			if rest := raw[y*row+1 : (y+1)*row]; f.depth == 8 && len(rest) > 1 {
				line = append(line, byte(1-len(rest)), rest[0])
			} else {
				line = append(line, byte(len(rest)-1))
				line = append(line, rest...)
			}
			if f.big {
				be(&b, uint32(len(line)))
			} else {
				be(&b, uint16(len(line)))
			}
			rows.Write(line)
		}
		b.Write(rows.Bytes())
	case 2, 3:
		z := zlib.NewWriter(&b)
		for y := range h {
			line := append([]byte(nil), raw[y*row:(y+1)*row]...)
			if f.packed == 3 {
				line = f.delta(line, w)
			}
			_, _ = z.Write(line)
		}
		_ = z.Close()
	}
	return b.Bytes()
}

func (f written) delta(line []byte, w int) []byte {
	step := f.depth / 8
	switch f.depth {
	case 16:
		for i := len(line) - 2; i >= 2; i -= 2 {
			binary.BigEndian.PutUint16(line[i:], binary.BigEndian.Uint16(line[i:])-binary.BigEndian.Uint16(line[i-2:]))
		}
		return line
	case 32:
		apart := make([]byte, len(line))
		for x := range w {
			for k := range step {
				apart[k*w+x] = line[step*x+k]
			}
		}
		line = apart
	}
	for i := len(line) - 1; i >= 1; i-- {
		line[i] -= line[i-1]
	}
	return line
}

func open(t testing.TB, data []byte) *photoshop.File {
	t.Helper()
	f, err := photoshop.Open(bytes.NewReader(data), int64(len(data)), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func near(a, b color.RGBA) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d < -2 || d > 2 {
			return false
		}
	}
	return true
}

var (
	orange = color.NRGBA{200, 100, 50, 255}
	glass  = color.NRGBA{0, 200, 100, 128}
)

func layer(name string, bounds image.Rectangle, c color.NRGBA) drawn {
	return drawn{name: name, bounds: bounds, colour: c, blend: "norm", opacity: 255}
}

func TestLayersInAllWaysTheyArePacked(t *testing.T) {
	for _, depth := range []int{8, 16, 32} {
		for packed := range 4 {
			for _, big := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d bits, packed %d, big %v", depth, packed, big), func(t *testing.T) {
					f := open(t, written{depth: depth, packed: packed, big: big, size: image.Pt(30, 20), layers: []drawn{
						layer("Grund", image.Rect(0, 0, 30, 20), orange), layer("Über", image.Rect(-3, 4, 9, 15), glass)}}.file())
					if len(f.Layers) != 2 || f.Layers[1].Name != "Über" || f.Layers[1].Bounds != image.Rect(-3, 4, 9, 15) {
						t.Fatalf("layers %+v", f.Layers)
					}
					img, err := f.Picture(f.Layer("Über", 1))
					if err != nil || img.Rect != image.Rect(-3, 4, 9, 15) {
						t.Fatalf("%v, %v", img, err)
					}
					want := color.RGBA{0, 100, 50, 128}
					for _, at := range []image.Point{{-3, 4}, {8, 14}, {2, 9}} {
						if got := img.RGBAAt(at.X, at.Y); !near(got, want) {
							t.Errorf("at %v: %v, want %v", at, got, want)
						}
					}
				})
			}
		}
	}
}

func TestARangeOfValuesInWhichALayerBlendsIsKnown(t *testing.T) {
	all := []byte("\x00\x00\xff\xff")
	for name, c := range map[string]struct {
		ranges []byte
		want   bool
	}{
		"none":                  {nil, false},
		"all values":            {bytes.Repeat(all, 10), false},
		"where black is hidden": {append([]byte("\x20\x30\xff\xff"), bytes.Repeat(all, 9)...), true},
		"below white":           {append(bytes.Repeat(all, 9), "\x00\x00\xf0\xff"...), true},
	} {
		l := layer("one", image.Rect(0, 0, 4, 4), color.NRGBA{255, 0, 0, 255})
		l.ranges = c.ranges
		f := open(t, written{depth: 8, size: image.Pt(4, 4), layers: []drawn{l}}.file())
		if got := f.Layers[0]; got.Ranged != c.want || got.Name != "one" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAMaskHidesWhatIsAroundIt(t *testing.T) {
	l := layer("masked", image.Rect(2, 2, 20, 18), orange)
	l.mask = image.Rect(5, 5, 10, 10)
	f := open(t, written{depth: 8, packed: 1, size: image.Pt(30, 20), layers: []drawn{l}}.file())
	img, err := f.Picture(&f.Layers[0])
	if err != nil {
		t.Fatal(err)
	}
	if in, out := img.RGBAAt(5, 9), img.RGBAAt(10, 9); in.A != 255 || out.A != 0 {
		t.Errorf("within the mask %v, outside %v", in, out)
	}
}

func TestTheMergedPictureIsWhatPhotoshopWrote(t *testing.T) {
	for _, depth := range []int{8, 16} {
		f := open(t, written{depth: depth, size: image.Pt(6, 4), merged: &glass, layers: []drawn{layer("other", image.Rect(0, 0, 6, 4), orange)}}.file())
		img, err := f.Merged()
		if err != nil {
			t.Fatal(err)
		}
		if got := img.RGBAAt(3, 2); !near(got, color.RGBA{0, 100, 50, 128}) {
			t.Errorf("%d bits: %v", depth, got)
		}
	}
}

// Without a merged picture the layers are laid over each other, with groups, modes, opacity and clipping.
func TestLayersWithoutAMergedPictureAreFlattened(t *testing.T) {
	size := image.Pt(40, 10)
	all := image.Rectangle{Max: size}
	multiply := layer("multiply", image.Rect(10, 0, 20, 10), color.NRGBA{128, 128, 128, 255})
	multiply.blend = "mul "
	hidden := layer("hidden", all, color.NRGBA{0, 0, 255, 255})
	hidden.hidden = true
	base := layer("base", image.Rect(20, 0, 25, 10), color.NRGBA{255, 255, 255, 255})
	clipped := layer("clipped", all, color.NRGBA{0, 255, 0, 255})
	clipped.clipped = true
	end := drawn{name: "</Layer group>", blend: "norm", opacity: 255, section: 3}
	group := drawn{name: "half", blend: "norm", opacity: 128, section: 1}
	inner := layer("inner", image.Rect(30, 0, 40, 10), color.NRGBA{0, 0, 0, 255})
	f := open(t, written{depth: 8, packed: 1, size: size, layers: []drawn{layer("ground", all, orange), multiply, hidden, base, clipped, end, inner, group}}.file())
	img, err := f.Merged()
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[int]color.RGBA{
		5: {200, 100, 50, 255}, 15: {100, 50, 25, 255}, 22: {0, 255, 0, 255}, 27: {200, 100, 50, 255}, 35: {100, 50, 25, 255},
	} {
		if got := img.RGBAAt(x, 5); !near(got, want) {
			t.Errorf("at %d: %v, want %v", x, got, want)
		}
	}
}

// The file was written by another program, ag-psd.
func TestAFileOfAnotherProgram(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "layered.psd"))
	if err != nil {
		t.Fatal(err)
	}
	f := open(t, data)
	badge, ground := f.Layer("badge ✓", 0), f.Layer("ground", 0)
	if badge == nil || ground == nil || badge.Bounds != image.Rect(5, 7, 17, 17) {
		t.Fatalf("layers %+v", f.Layers)
	}
	img, err := f.Picture(badge)
	if err != nil || !near(img.RGBAAt(10, 10), color.RGBA{0, 128, 0, 128}) || img.RGBAAt(11, 10).A != 0 {
		t.Errorf("%v, %v, %v", img.RGBAAt(10, 10), img.RGBAAt(11, 10), err)
	}
	if img, err = f.Picture(ground); err != nil || !near(img.RGBAAt(20, 10), color.RGBA{120, 80, 100, 255}) {
		t.Errorf("%v, %v", img.RGBAAt(20, 10), err)
	}
	merged, err := f.Merged()
	if err != nil || merged.Rect != image.Rect(0, 0, 40, 30) || !near(merged.RGBAAt(30, 0), color.RGBA{10, 20, 30, 255}) {
		t.Errorf("%v, %v", merged.RGBAAt(30, 0), err)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	whole := written{depth: 8, packed: 1, size: image.Pt(30, 20), layers: []drawn{layer("one", image.Rect(0, 0, 30, 20), orange)}}.file()
	if _, err := photoshop.Open(bytes.NewReader([]byte("GIF89a and so on")), 16, 100); !errors.Is(err, photoshop.ErrForeign) {
		t.Errorf("another format: %v", err)
	}
	if _, err := photoshop.Open(bytes.NewReader(whole), int64(len(whole)), 599); err == nil {
		t.Error("a picture that is too large was taken")
	}
	lab := append([]byte(nil), whole...)
	lab[25] = 9
	if _, err := photoshop.Open(bytes.NewReader(lab), int64(len(lab)), 1000); !errors.Is(err, photoshop.ErrKind) {
		t.Errorf("Lab: %v", err)
	}
	for n := range whole {
		f, err := photoshop.Open(bytes.NewReader(whole[:n]), int64(n), 1000)
		if err != nil {
			continue
		}
		if _, err := f.Merged(); err == nil {
			t.Fatalf("%d of %d bytes are a whole file", n, len(whole))
		}
	}
}

func FuzzFile(f *testing.F) {
	for packed := range 4 {
		l := layer("one", image.Rect(0, 0, 9, 7), glass)
		l.mask = image.Rect(1, 1, 5, 5)
		f.Add(written{depth: 16, packed: packed, size: image.Pt(9, 7), layers: []drawn{l}}.file())
		f.Add(written{depth: 8, packed: packed, big: true, size: image.Pt(9, 7), merged: &glass, layers: []drawn{
			{name: "end", blend: "norm", section: 3}, l, {name: "group", blend: "pass", opacity: 255, section: 1}}}.file())
	}
	for depth, packed := range map[int]int{8: 1, 16: 0, 32: 2} {
		f.Add(patterned(depth, packed).file())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := photoshop.Open(bytes.NewReader(data), int64(len(data)), 1<<14)
		if err != nil {
			return
		}
		_, _ = file.Merged()
		for i := range file.Layers {
			if tile := file.Pattern(&file.Layers[i]); tile != nil && tile.Rect.Dx()*tile.Rect.Dy() > 1<<20 {
				t.Errorf("a pattern of %v", tile.Rect)
			}
			if img, err := file.Picture(&file.Layers[i]); err == nil && img.Rect.Dx()*img.Rect.Dy() > 1<<14 {
				t.Errorf("a picture of %v", img.Rect)
			}
		}
	})
}
