package effect

import (
	"fmt"
	"math"
	"strconv"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// The values of Numbers' popup "Type" that are drawn. The others are drawn as numbers.
const (
	numberPlain      = 1
	numberTimecode30 = 3
	numberTimecode25 = 4
	numberTimecode24 = 5
	numberHex        = 11
)

// The values of the popup "Display Options" of effects that draw text.
const (
	textFill = iota + 1
	textStroke
	textFillOverStroke
	textStrokeOverFill
)

// numbers is Numbers: it draws a number as text.
type numbers struct {
	wholeLayer
	kind, Random, value, places, display, width, size, tracking, over eval.Number
	position, fill, stroke                                            eval.Vector
}

func newNumbers(p Params) Effect {
	p.Lack("the font and the alignment")
	e := &numbers{
		kind: p.Number("0001", numberPlain), Random: p.Number("0002", 0), value: p.Number("0003", 0), places: p.Number("0004", 3),
		position: p.Point("0007"), display: p.Number("0012", textFill), fill: p.Color("0008", [4]float64{1, 0, 0, 1}),
		stroke: p.Color("0014", [4]float64{1, 1, 1, 1}), width: p.Number("0013", 2), size: p.Number("0006", 36),
		tracking: p.Number("0010", 0), over: p.Number("0009", 0),
	}
	p.Unless("0005", 0, "the current time and date")
	p.LackIf(&e.kind, func(v float64) bool {
		switch whole(v) {
		case numberPlain, numberTimecode30, numberTimecode25, numberTimecode24, numberHex:
			return false
		}
		return true
	}, "the number type")
	return e
}

// Timed implements Timed.
func (e *numbers) Timed() bool { return e.Random.Varies() || e.Random.First() != 0 }

// text is what is written.
func (e *numbers) text(f *Frame) string {
	v := f.Number(&e.value)
	if f.Choice(&e.Random) != 0 {
		frame := lattice(math.Round(f.Time * f.Rate))
		v *= random.At(0, frame, 0, 0)
	}
	switch f.Choice(&e.kind) {
	case numberTimecode30:
		return timecode(lattice(v), 30, false)
	case numberTimecode25:
		return timecode(lattice(v), 25, false)
	case numberTimecode24:
		return timecode(lattice(v), 24, false)
	case numberHex:
		return strconv.FormatInt(int64(v), 16)
	}
	return strconv.FormatFloat(v, 'f', int(max(0, min(10, f.Number(&e.places)))), 64)
}

func (e *numbers) Draw(f *Frame, img *raster.Image) error {
	size := min(5000, f.Number(&e.size))
	line, width, err := f.Host.Text(size, f.Number(&e.tracking), e.text(f))
	if err != nil {
		return fmt.Errorf("its text: %w", err)
	}
	if f.Choice(&e.over) == 0 {
		clear(img.Pix)
	}
	at := f.PointOr(&e.position, 0.5, 0.5)
	line = line.Transform(geom.Translate(at.X-width/2, at.Y))
	fill := raster.Shape{Outline: line, Color: f.Color(&e.fill)}
	stroke := raster.Shape{Outline: line, Color: f.Color(&e.stroke), Stroke: &raster.StrokeStyle{Width: max(0, f.Number(&e.width))}}
	var order []*raster.Shape
	switch f.Choice(&e.display) {
	case textStroke:
		order = []*raster.Shape{&stroke}
	case textFillOverStroke:
		order = []*raster.Shape{&stroke, &fill}
	case textStrokeOverFill:
		order = []*raster.Shape{&fill, &stroke}
	default:
		order = []*raster.Shape{&fill}
	}
	for _, s := range order {
		s.Color[3] = 1 // the colours of this effect have no opacity of their own
		f.Host.Paint(img, s, f.Matrix)
	}
	return nil
}

// timecode is a frame as hours, minutes, seconds and frames. Of drop-frame timecode the first two numbers of each minute but every tenth are
// left out, so that it keeps with the clock at 29.97 frames per second; four at twice that rate. SMPTE ST 12-1.
func timecode(frame, rate int, drop bool) string {
	sign := ""
	if frame < 0 {
		frame, sign = -frame, "-"
	}
	separator := ":"
	if drop && rate%30 == 0 {
		separator = ";"
		left := rate / 15
		minute := 60*rate - left
		ten := 10*minute + left
		frame += 9 * left * (frame / ten)
		if rest := frame % (600 * rate); rest >= 60*rate {
			frame += left * ((rest - left) / minute)
		}
	}
	seconds := frame / rate
	return fmt.Sprintf("%s%02d:%02d:%02d%s%02d", sign, seconds/3600, seconds/60%60, seconds%60, separator, frame%rate)
}
