package effect

import (
	"math"

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

// draw draws values, from -1 to 1, beside the line: to its left and above it if side is 1, on the other side if -1.
func (e *soundLook) draw(f *Frame, img *raster.Image, values []float64, side float64) {
	start, end := f.PointOr(&e.start, 0.1, 0.5), f.PointOr(&e.end, 0.9, 0.5)
	way := end.Sub(start)
	var up geom.Point
	if long := way.Len(); long > 0 {
		up = geom.Point{X: way.Y / long, Y: -way.X / long}.Scale(side * f.Number(&e.height))
	}
	thick := max(0.1, min(1e4, f.Number(&e.thickness)))
	line := raster.Shape{Color: f.Color(&e.inside), Stroke: &raster.StrokeStyle{Width: thick, Cap: raster.RoundCap, Join: raster.RoundJoin}}
	dots := raster.Shape{Color: line.Color}
	for i, v := range values {
		foot := start
		if len(values) > 1 {
			foot = start.Lerp(end, float64(i)/float64(len(values)-1))
		}
		top := foot.Add(up.Scale(v))
		switch how := f.Choice(&e.display); {
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
func lackLook(p Params, path, softness string) {
	if n := p.Number(path, 0); n.First() != 0 {
		p.Lack("the path")
	}
	if n := p.Number(softness, 0.5); n.First() != 0 {
		p.Lack("the softness and the outside color")
	}
}

// audioSpectrum is Audio Spectrum: how loud each band of frequencies is.
type audioSpectrum struct {
	soundLook
	low, high, sides eval.Number
}

func newAudioSpectrum(p Params) Effect {
	lackLook(p, "0004", "0013")
	e := &audioSpectrum{low: p.Number("0006", 20), high: p.Number("0007", 2000), sides: p.Number("0021", 3)}
	e.soundLook = soundLook{
		start: p.Point("0002"), end: p.Point("0003"), count: p.Number("0008", 64), height: p.Number("0009", 480), duration: p.Number("0010", 90),
		offset: p.Number("0011", 0), thickness: p.Number("0012", 3), inside: p.Color("0014", [4]float64{1, 1, 1, 1}),
		display: p.Number("0020", soundBars), over: p.Number("0023", 0),
	}
	if e.layer, e.chosen = p.Layer("0001"); e.chosen {
		p.Lack("the exact height of the bands")
	}
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
	sides := f.Choice(&e.sides)
	if sides != sideB {
		e.draw(f, img, bands, 1)
	}
	if sides != sideA {
		e.draw(f, img, bands, -1)
	}
	return nil
}

// audioWaveform is Audio Waveform: the sound itself.
type audioWaveform struct{ soundLook }

func newAudioWaveform(p Params) Effect {
	lackLook(p, "0004", "0010")
	if channel := p.Number("0014", 1); channel.First() > 1 {
		p.Lack("the choice of one audio channel")
	}
	e := &audioWaveform{soundLook{
		start: p.Point("0002"), end: p.Point("0003"), count: p.Number("0005", 120), height: p.Number("0006", 120), duration: p.Number("0007", 125),
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
	e.draw(f, img, values, 1)
	return nil
}
