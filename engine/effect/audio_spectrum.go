package effect

import (
	"math"
	"slices"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Limits of effects that show sound.
const (
	maxBands         = 4096
	maxSoundDuration = 1000 // milliseconds that one frame shows
)

// The values of the popup "Display Options" of effects that show sound.
const (
	soundBars  = 1
	soundLines = 2
	soundDots  = 3
)

// The values of Audio Spectrum's popup "Side Options" but the last, for both.
const (
	sideA = 1
	sideB = 2
)

// soundLook is how effects that show sound draw it, along a line.
type soundLook struct {
	wholeLayer
	path                                                      Paths
	start, end, inside                                        eval.Vector
	count, height, duration, offset, thickness, display, over eval.Number
	layer                                                     Chosen
	chosen                                                    bool
}

// Timed implements Timed.
func (e *soundLook) Timed() bool { return e.chosen }

// Hears implements Hearing.
func (e *soundLook) Hears() uint32 { return e.layer.ID }

// sound is what is heard around a moment, rate samples per second.
func (e *soundLook) sound(f *Frame) (samples []float32, rate float64, err error) {
	if !e.chosen {
		return nil, 1, nil
	}
	length := max(1, min(maxSoundDuration, f.Number(&e.duration))) / 1000
	return f.Host.Sound(e.layer.ID, f.Time+f.Number(&e.offset)/1000-length/2, length)
}

// line is what the values stand on: the mask that the effect follows, or the way from its start to its end.
func (e *soundLook) line(f *Frame) geom.Polyline {
	for _, o := range e.path.of(f, false) {
		if lines := o.Flatten(geom.Identity, 0.1); len(lines) > 0 {
			return lines[0]
		}
	}
	return geom.Polyline{Points: []geom.Point{f.PointOr(&e.start, 0.1, 0.5), f.PointOr(&e.end, 0.9, 0.5)}}
}

// draw draws values, from -1 to 1, beside the line: to its left and above it if side is 1, on the other side if -1. tinted is the colour of the
// value at a share of the line; nil where all have that of the effect.
func (e *soundLook) draw(f *Frame, img *raster.Image, values []float64, side float64, tinted func(share float64) [4]float64) {
	base := e.line(f)
	feet, ways := base.Spread(len(values))
	height, how := side*f.Number(&e.height), f.Choice(&e.display)
	thick := max(0.1, min(1e4, f.Number(&e.thickness)))
	line := raster.Shape{Color: f.Color(&e.inside), Stroke: &raster.StrokeStyle{Width: thick, Cap: raster.RoundCap, Join: raster.RoundJoin}}
	dots := raster.Shape{Color: line.Color}
	var last geom.Point
	for i, v := range values {
		foot := feet[i]
		top := foot.Add(geom.Point{X: ways[i].Y, Y: -ways[i].X}.Scale(height * v))
		if tinted != nil {
			f.Host.Paint(img, &dots, f.Matrix)
			f.Host.Paint(img, &line, f.Matrix)
			line.Color = tinted(float64(i) / float64(max(1, len(values)-1)))
			dots.Color, line.Outline, dots.Outline = line.Color, geom.Outline{}, geom.Outline{}
			if how == soundLines && i > 0 {
				line.Outline.Move(last.X, last.Y)
			}
			last = top
		}
		switch {
		case how == soundLines && i > 0:
			line.Outline.Line(top.X, top.Y)
		case how == soundLines:
			line.Outline.Move(top.X, top.Y)
		case how == soundDots || v == 0:
			dots.Outline.Append(geom.EllipseOutline(top.X, top.Y, thick, thick))
		default:
			line.Outline.Move(foot.X, foot.Y)
			line.Outline.Line(top.X, top.Y)
		}
	}
	f.Host.Paint(img, &dots, f.Matrix)
	f.Host.Paint(img, &line, f.Matrix)
}

// lackLook notes what of the look is not drawn.
func lackLook(p Params, softness string) {
	n := p.Number(softness, 0.5)
	p.LackIf(&n, above(0), "the softness and the outside color")
}

// audioSpectrum is Audio Spectrum: how loud each band of frequencies is.
type audioSpectrum struct {
	soundLook
	low, high, sides     eval.Number
	hue, phase, symmetry eval.Number
}

func newAudioSpectrum(p Params) Effect {
	lackLook(p, "0013")
	e := &audioSpectrum{
		low: p.Number("0006", 20), high: p.Number("0007", 2000), sides: p.Number("0021", 3),
		hue: p.Number("0017", 30), phase: p.Number("0018", 1), symmetry: p.Number("0019", 1),
	}
	e.soundLook = soundLook{
		path: p.Paths("0004", ""), start: p.Point("0002"), end: p.Point("0003"), count: p.Number("0008", 64), height: p.Number("0009", 480), duration: p.Number("0010", 90),
		offset: p.Number("0011", 0), thickness: p.Number("0012", 3), inside: p.Color("0014", [4]float64{1, 1, 1, 1}),
		display: p.Number("0020", soundBars), over: p.Number("0023", 0),
	}
	if e.layer, e.chosen = p.Layer("0001"); e.chosen {
		p.Lack("the exact height of the bands")
	}
	p.Unless("0005", 0, "the polar path")
	return e
}

// bands are how loud the bands are.
func (e *audioSpectrum) bands(f *Frame) ([]float64, error) {
	out := make([]float64, int(max(1, min(maxBands, f.Number(&e.count)))))
	samples, rate, err := e.sound(f)
	loud := spectrum(samples)
	if err != nil || len(loud) == 0 {
		return out, err
	}
	low, high := max(0, f.Number(&e.low)), max(0, f.Number(&e.high))
	perBin := rate / 2 / float64(len(loud))
	for i := range out {
		from := low + (high-low)*float64(i)/float64(len(out))
		to := low + (high-low)*float64(i+1)/float64(len(out))
		first, last := int(min(from, to)/perBin), int(math.Ceil(max(from, to)/perBin))
		for bin := first; bin <= last && bin < len(loud); bin++ {
			out[i] = max(out[i], loud[bin])
		}
	}
	return out, nil
}

func (e *audioSpectrum) Draw(f *Frame, img *raster.Image) error {
	bands, err := e.bands(f)
	if err != nil {
		return err
	}
	if f.Choice(&e.over) == 0 {
		clear(img.Pix)
	}
	sides, tinted := f.Choice(&e.sides), e.tints(f, bands)
	if sides != sideB {
		e.draw(f, img, bands, 1, tinted)
	}
	if sides != sideA {
		e.draw(f, img, bands, -1, tinted)
	}
	return nil
}

// tints are the colours of the bands, whose hue turns from the first to the last, or from the loudest on.
func (e *audioSpectrum) tints(f *Frame, bands []float64) func(share float64) [4]float64 {
	color, turn := f.Color(&e.inside), f.Number(&e.hue)/360
	from := toHLS(color)
	if turn == 0 || from.s == 0 {
		return nil
	}
	var first float64
	if f.Choice(&e.phase) != 0 {
		first = float64(slices.Index(bands, slices.Max(bands))) / float64(len(bands))
	}
	symmetric := f.Choice(&e.symmetry) != 0
	return func(share float64) [4]float64 {
		if first > 0 {
			share = math.Mod(share-first+1, 1)
		}
		if symmetric {
			share = 1 - math.Abs(2*share-1)
		}
		rgb := hls{from.h + turn*share, from.l, from.s}.rgb()
		return [4]float64{rgb[0], rgb[1], rgb[2], color[3]}
	}
}

// audioWaveform is Audio Waveform: the sound itself.
type audioWaveform struct{ soundLook }

func newAudioWaveform(p Params) Effect {
	lackLook(p, "0010")
	p.Unless("0014", 1, "the choice of one audio channel")
	e := &audioWaveform{soundLook{
		path: p.Paths("0004", ""), start: p.Point("0002"), end: p.Point("0003"), count: p.Number("0005", 120), height: p.Number("0006", 120), duration: p.Number("0007", 125),
		offset: p.Number("0008", 0), thickness: p.Number("0009", 3), inside: p.Color("0012", [4]float64{0, 1, 0, 1}),
		display: p.Number("0015", soundLines), over: p.Number("0016", 0),
	}}
	e.layer, e.chosen = p.Layer("0001")
	return e
}

func (e *audioWaveform) Draw(f *Frame, img *raster.Image) error {
	samples, _, err := e.sound(f)
	if err != nil {
		return err
	}
	values := make([]float64, int(max(1, min(maxBands, f.Number(&e.count)))))
	for i := range values {
		if at := i * len(samples) / len(values); at < len(samples) {
			values[i] = float64(samples[at])
		}
	}
	if f.Choice(&e.over) == 0 {
		clear(img.Pix)
	}
	e.draw(f, img, values, 1, nil)
	return nil
}
