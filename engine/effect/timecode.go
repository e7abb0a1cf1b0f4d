package effect

import (
	"fmt"
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of Timecode's popups "Display Format" and "Time Source" but the first ones.
const (
	formatFrames       = 2
	formatFeet35       = 3
	formatFeet16       = 4
	sourceComposition  = 2
	sourceCustom       = 3
	framesPerFoot35    = 16
	framesPerFoot16    = 40
	timecodeBoxPadding = 0.15 // of the size
)

// timecodeEffect is Timecode: it writes the time on the layer.
type timecodeEffect struct {
	wholeLayer
	format, source, units, drop, first, size, boxed, opacity, over eval.Number
	position, color, box                                           eval.Vector
	clock                                                          Clock
}

func newTimecode(p Params) Effect {
	p.Lack("the font")
	return &timecodeEffect{
		format: p.Number("0002", 1), source: p.Number("0009", 1), units: p.Number("0003", 30), drop: p.Number("0008", 0),
		first: p.Number("0004", 0), position: p.Point("0005"), size: p.Number("0006", 36), color: p.Color("0007", [4]float64{1, 1, 1, 1}),
		boxed: p.Number("0010", 1), box: p.Color("0011", [4]float64{0, 0, 0, 1}), opacity: p.Number("0012", 100), over: p.Number("0015", 1),
		clock: p.Clock(),
	}
}

// Timed implements Timed.
func (e *timecodeEffect) Timed() bool { return true }

// text is what is written.
func (e *timecodeEffect) text(f *Frame) string {
	rate, t := f.Rate, e.clock.At(f.Time)
	drop := f.Choice(&e.drop) != 0
	switch f.Choice(&e.source) {
	case sourceComposition:
		t = f.Time
	case sourceCustom:
		rate = f.Number(&e.units)
	default:
		drop = false
	}
	rate = max(1, min(1000, rate))
	frame := lattice(math.Floor(t*rate+0.01)) + f.Choice(&e.first)
	whole := int(math.Round(rate))
	switch f.Choice(&e.format) {
	case formatFrames:
		return fmt.Sprintf("%05d", frame)
	case formatFeet35:
		return fmt.Sprintf("%04d+%02d", frame/framesPerFoot35, frame%framesPerFoot35)
	case formatFeet16:
		return fmt.Sprintf("%04d+%02d", frame/framesPerFoot16, frame%framesPerFoot16)
	}
	return timecode(frame, whole, drop)
}

func (e *timecodeEffect) Draw(f *Frame, img *raster.Image) error {
	size := max(1, min(5000, f.Number(&e.size)))
	line, width, err := f.Host.Text(size, 0, e.text(f))
	if err != nil {
		return fmt.Errorf("its text: %w", err)
	}
	if f.Choice(&e.over) == 0 {
		clear(img.Pix)
	}
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	at, pad := f.PointOr(&e.position, 0.1, 0.1), size*timecodeBoxPadding
	if f.Choice(&e.boxed) != 0 {
		box := raster.Shape{Outline: geom.RectOutline(at.X+width/2, at.Y-size*0.36, width+2*pad, size*0.72+2*pad, 0), Color: f.Color(&e.box)}
		box.Color[3] = 1
		f.Host.Paint(painted, &box, f.Matrix)
	}
	letters := raster.Shape{Outline: line.Transform(geom.Translate(at.X, at.Y)), Color: f.Color(&e.color)}
	letters.Color[3] = 1
	f.Host.Paint(painted, &letters, f.Matrix)
	raster.Composite(img, painted, completion(f, &e.opacity), raster.Normal)
	return nil
}
