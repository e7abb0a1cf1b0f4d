package render_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/render"
)

func parade(effects ...*aep.Property) *aep.Property { return group("ADBE Effect Parade", effects...) }

// near fails unless a colour is the one wanted to the last bit but one.
func near(t *testing.T, what string, got color.RGBA, want [3]float64) {
	t.Helper()
	for i, v := range [3]uint8{got.R, got.G, got.B} {
		if math.Abs(float64(v)-want[i]*255) > 1 {
			t.Errorf("%s: %v, want %.1f", what, got, [3]float64{want[0] * 255, want[1] * 255, want[2] * 255})
			return
		}
	}
}

// Half of white over black is half the light, which a gamma of 2.2 encodes as 0.5 to the power of 1/2.2.
func TestLayersAreMixedInLinearLight(t *testing.T) {
	for _, gamma := range []float64{2.2, 2.4} {
		for _, bits := range []int{8, 16, 32} {
			b := build(t)
			b.p.BitsPerChannel, b.p.Color = bits, aep.Color{Gamma: gamma, LinearBlending: true}
			comp := b.comp("main", 20, 20)
			b.layer(comp, b.solid("white", 20, 20, rgb(white)), func(l *aep.Layer) { transform(l, value("ADBE Opacity", 50)) })
			b.layer(comp, b.solid("black", 20, 20, rgb(black)), nil)
			v := math.Pow(0.5, 1/gamma)
			near(t, fmt.Sprint(bits, " bits, gamma ", gamma), oneFrame(t, b.renderer(comp, render.Options{}), 0).RGBAAt(10, 10), [3]float64{v, v, v})
		}
	}
}

// The effects of a project that only blends in linear light see its own colours; in a linear working space they see light.
func TestEffectsSeeLightInALinearWorkingSpace(t *testing.T) {
	decode := func(v float64) float64 { return math.Pow((v+0.055)/1.055, 2.4) }
	encode := func(v float64) float64 { return 1.055*math.Pow(v, 1/2.4) - 0.055 }
	for linear, want := range map[bool]float64{false: 0.3, true: encode(1 - decode(0.7))} {
		b := build(t)
		b.p.BitsPerChannel = 32
		b.p.Color = aep.Color{WorkingSpace: aep.ColorProfile{Name: "sRGB IEC61966-2.1"}, LinearWorkSpace: linear, LinearBlending: !linear}
		comp := b.comp("main", 20, 20)
		b.layer(comp, b.solid("grey", 20, 20, [3]float64{0.7, 0.7, 0.7}), func(l *aep.Layer) { children(l, parade(group("ADBE Invert"))) })
		near(t, fmt.Sprint("linear: ", linear), oneFrame(t, b.renderer(comp, render.Options{}), 0).RGBAAt(10, 10), [3]float64{want, want, want})
	}
}

// Light four times as strong is brighter than white; a quarter of it is what it was. Only 32 bits keep that.
func TestOnly32BitsKeepWhatIsBrighterThanWhite(t *testing.T) {
	exposed := func(stops float64) *aep.Property {
		return group("ADBE Exposure2", value("ADBE Exposure2-0003", stops), value("ADBE Exposure2-0022", 1))
	}
	for bits, want := range map[int]float64{8: 0.25, 16: 0.25, 32: 0.8} {
		b := build(t)
		b.p.BitsPerChannel = bits
		inner, comp := b.comp("inner", 20, 20), b.comp("main", 20, 20)
		b.layer(inner, b.solid("grey", 20, 20, [3]float64{0.8, 0.8, 0.8}), func(l *aep.Layer) { children(l, parade(exposed(2))) })
		b.layer(comp, inner, func(l *aep.Layer) { // turned, so that it is sampled on the way
			transform(l, value("ADBE Rotate Z", 45))
			children(l, parade(group("ADBE Gaussian Blur 2", value("ADBE Gaussian Blur 2-0001", 4), value("ADBE Gaussian Blur 2-0003", 1)), exposed(-2)))
		})
		near(t, fmt.Sprint(bits, " bits"), oneFrame(t, b.renderer(comp, render.Options{}), 0).RGBAAt(10, 10), [3]float64{want, want, want})
	}
}

// Layers added to each other are brighter than white in 32 bits, until an adjustment layer makes them darker.
func TestAddedLightIsKeptForAdjustmentLayers(t *testing.T) {
	for bits, want := range map[int]float64{16: 0.5, 32: 0.8} {
		b := build(t)
		b.p.BitsPerChannel = bits
		comp := b.comp("main", 20, 20)
		half := group("ADBE Exposure2", value("ADBE Exposure2-0003", -1), value("ADBE Exposure2-0022", 1))
		b.layer(comp, b.solid("adjusting", 20, 20, rgb(white)), func(l *aep.Layer) {
			l.Adjustment = true
			children(l, parade(half))
		})
		for range 2 {
			b.layer(comp, b.solid("bright", 20, 20, [3]float64{0.8, 0.8, 0.8}), func(l *aep.Layer) { l.Blend = aep.BlendAdd })
		}
		near(t, fmt.Sprint(bits, " bits"), oneFrame(t, b.renderer(comp, render.Options{}), 0).RGBAAt(10, 10), [3]float64{want, want, want})
	}
}

// A ramp of 16 shades of 255, stretched to all of them: in bytes it has 17 steps, in more bits as many as there are bytes.
func TestStretchedRampsHaveBandsInBytesOnly(t *testing.T) {
	for bits, least := range map[int]int{8: 0, 16: 250, 32: 250} {
		b := build(t)
		b.p.BitsPerChannel = bits
		comp := b.comp("main", 1024, 2)
		b.layer(comp, b.solid("ramp", 1024, 2, rgb(white)), func(l *aep.Layer) {
			children(l, parade(
				group("ADBE Ramp", value("ADBE Ramp-0001", 0, 0), value("ADBE Ramp-0003", 1024, 0),
					value("ADBE Ramp-0002", 0, 0, 0, 1), value("ADBE Ramp-0004", 16.0/255, 16.0/255, 16.0/255, 1)),
				group("ADBE Pro Levels2", value("ADBE Pro Levels2-0005", 16.0/255))))
		})
		img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
		shades := make(map[uint8]bool)
		for x := range 1024 {
			shades[img.RGBAAt(x, 0).R] = true
		}
		if len(shades) < least || bits == 8 && len(shades) > 17 {
			t.Errorf("%d bits: %d shades", bits, len(shades))
		}
	}
}

// What has nothing that bytes cannot hold looks the same in each number of bits.
func TestDeepPicturesAreThoseOfBytes(t *testing.T) {
	scene := func(bits int) *image.RGBA {
		b := build(t)
		b.p.BitsPerChannel = bits
		comp, inner := b.comp("main", 120, 90), b.comp("inner", 60, 60)
		b.layer(inner, b.solid("card", 40, 40, [3]float64{0.2, 0.7, 0.4}), func(l *aep.Layer) {
			masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(5, 5, 35, 35), value("ADBE Mask Feather", 6, 6))
		})
		b.layer(comp, b.solid("matte", 50, 50, rgb(white)), func(l *aep.Layer) {
			l.Enabled = false
			transform(l, value("ADBE Rotate Z", 30))
		})
		b.layer(comp, inner, func(l *aep.Layer) {
			l.Matte = aep.MatteAlpha
			transform(l, value("ADBE Scale", 130, 130))
			transform(l, value("ADBE Rotate Z", 12))
		})
		b.layer(comp, nil, func(l *aep.Layer) {
			l.Kind, l.Blend = aep.LayerShape, aep.BlendMultiply
			children(l, group("ADBE Root Vectors Group", group("ADBE Vector Shape - Ellipse", value("ADBE Vector Ellipse Size", 70, 50)),
				group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 0.9, 0.6, 0.1, 1))))
			children(l, parade(group("ADBE Drop Shadow", value("ADBE Drop Shadow-0004", 6), value("ADBE Drop Shadow-0005", 8))))
		})
		b.layer(comp, nil, func(l *aep.Layer) { stroked(l); l.Blend = aep.BlendOverlay })
		b.layer(comp, b.picture("p.png", quarters(120, 90)), func(l *aep.Layer) {
			transform(l, value("ADBE Opacity", 70))
			children(l, parade(group("ADBE Tint", value("ADBE Tint-0003", 40)), group("ADBE Mosaic")))
		})
		b.layer(comp, b.solid("back", 120, 90, [3]float64{0.3, 0.3, 0.5}), nil)
		return oneFrame(t, b.renderer(comp, render.Options{}), 0)
	}
	bytes := scene(8)
	for _, bits := range []int{16, 32} {
		got, worst := scene(bits), 0
		for i, v := range got.Pix {
			worst = max(worst, max(int(v)-int(bytes.Pix[i]), int(bytes.Pix[i])-int(v)))
		}
		if worst > 4 {
			t.Errorf("with %d bits a channel differs by %d", bits, worst)
		}
	}
}

// profiled adds a profile of three primaries and a gamma to a PNG.
func profiled(t *testing.T, path string, img image.Image, columns [3][3]float64, gamma float64) {
	t.Helper()
	fixed := func(v float64) []byte { return binary.BigEndian.AppendUint32(nil, uint32(int32(math.Round(v*65536)))) }
	var tags [][2]any
	for i, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
		data := append([]byte("XYZ \x00\x00\x00\x00"), append(append(fixed(columns[i][0]), fixed(columns[i][1])...), fixed(columns[i][2])...)...)
		tags = append(tags, [2]any{name, data})
	}
	for _, name := range []string{"rTRC", "gTRC", "bTRC"} {
		data := append([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), byte(int(gamma*256)>>8), byte(int(gamma*256)))
		tags = append(tags, [2]any{name, data})
	}
	icc := make([]byte, 128)
	copy(icc[16:], "RGB XYZ ")
	copy(icc[36:], "acsp")
	icc = binary.BigEndian.AppendUint32(icc, uint32(len(tags)))
	at := len(icc) + 12*len(tags)
	var body []byte
	for _, tag := range tags {
		data, _ := tag[1].([]byte)
		name, _ := tag[0].(string)
		icc = append(icc, name...)
		icc = binary.BigEndian.AppendUint32(icc, uint32(at+len(body)))
		icc = binary.BigEndian.AppendUint32(icc, uint32(len(data)))
		body = append(body, data...)
	}
	var packed bytes.Buffer
	packed.WriteString("wide\x00\x00")
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(append(icc, body...)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	const header = 33 // the signature and IHDR
	chunk := append([]byte("iCCP"), packed.Bytes()...)
	out := append([]byte{}, file.Bytes()[:header]...)
	out = binary.BigEndian.AppendUint32(out, uint32(packed.Len()))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	if err := os.WriteFile(path, append(out, file.Bytes()[header:]...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A picture in Display P3 is converted to the project's sRGB, by the matrix that follows from the primaries of both; without a working space
// its values stay. Light of P3's green within sRGB: red -0.2249, green 1.0421, blue -0.0786 of it.
func TestPicturesAreConvertedFromTheirProfile(t *testing.T) {
	p3 := [3][3]float64{{0.51512, 0.24120, -0.00105}, {0.29198, 0.69225, 0.04189}, {0.15710, 0.06657, 0.78407}}
	encode := func(v float64) float64 { return 1.055*math.Pow(v, 1/2.4) - 0.055 }
	light := func(v float64) float64 { return math.Pow(v, 2.2) }
	of := [3]float64{0.4, 0.6, 0.5}
	r, g, b := light(of[0]), light(of[1]), light(of[2])
	want := [3]float64{encode(1.22494*r - 0.22494*g), encode(-0.04206*r + 1.04206*g), encode(-0.01964*r - 0.07864*g + 1.09828*b)}
	for space, want := range map[string][3]float64{"": of, "sRGB IEC61966-2.1": want} {
		bld := build(t)
		bld.p.Color.WorkingSpace.Name = space
		comp := bld.comp("main", 8, 8)
		img := image.NewRGBA(image.Rect(0, 0, 8, 8))
		for i := range 64 {
			img.SetRGBA(i%8, i/8, color.RGBA{102, 153, 128, 255})
		}
		it := bld.picture("wide.png", img)
		it.Footage.File.Resolved = filepath.Join(t.TempDir(), "wide.png")
		profiled(t, it.Footage.File.Resolved, img, p3, 2.2)
		bld.layer(comp, it, nil)
		near(t, "working space '"+space+"'", oneFrame(t, bld.renderer(comp, render.Options{}), 0).RGBAAt(4, 4), want)
	}
}

// Grey is grey in every space; the red of a project in P3 is beyond what video has.
func TestFramesOfAWideWorkingSpaceAreWrittenAsVideo(t *testing.T) {
	b := build(t)
	b.p.Color.WorkingSpace.Name = "Display P3"
	comp := b.comp("main", 20, 10)
	b.layer(comp, b.solid("grey", 10, 10, [3]float64{0.5, 0.5, 0.5}), func(l *aep.Layer) { transform(l, value("ADBE Position", 5, 5)) })
	b.layer(comp, b.solid("wide", 20, 10, [3]float64{0.8, 0.2, 0.2}), nil)
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	near(t, "grey", img.RGBAAt(5, 5), [3]float64{0.5, 0.5, 0.5})
	if got := img.RGBAAt(15, 5); got.R < 206 || got.G > 49 {
		t.Errorf("the red of P3 is %v, no more saturated than the same numbers of video", got)
	}
}

func TestEffectsThatAreDrawnInBytesAreSaid(t *testing.T) {
	for bits, want := range map[int]bool{8: false, 16: true} {
		b := build(t)
		b.p.BitsPerChannel = bits
		comp := b.comp("main", 20, 20)
		b.layer(comp, b.solid("card", 20, 20, rgb(red)), func(l *aep.Layer) { children(l, parade(group("ADBE Mosaic"), group("ADBE Tint"))) })
		said := strings.Join(b.said(comp), "\n")
		if strings.Contains(said, "Mosaic") != want || strings.Contains(said, "Tint") {
			t.Errorf("%d bits: said %q", bits, said)
		}
	}
}
