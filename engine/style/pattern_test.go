package style_test

import (
	"image"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/style"
)

// overlaid is the square with a tile of four by two pixels over it, of which the left two are black and the right two white.
func overlaid(t *testing.T, more ...*aep.Property) *raster.Image {
	t.Helper()
	set := style.Compile(eval.Ref{Prop: group("ADBE Layer Styles", group("patternFill/enabled", more...))})
	if set == nil || set.Pattern.Name == "" || len(set.Above) != 1 {
		t.Fatalf("compiled: %+v", set)
	}
	tile := image.NewRGBA(image.Rect(0, 0, 4, 2))
	raster.FillRect(tile, image.Rect(0, 0, 2, 2), raster.Color{0, 0, 0, 255})
	raster.FillRect(tile, image.Rect(2, 0, 4, 2), raster.Color{255, 255, 255, 255})
	inside := image.NewRGBA(area)
	f := &style.Frame{
		Eval: &eval.Evaluator{}, Scale: 1, Whole: geom.Rect{MinX: 1, MaxX: 80, MaxY: 80}, Layer: square, Pattern: tile,
		Surface: func(r image.Rectangle) (*raster.Image, func()) { return image.NewRGBA(r), func() {} },
	}
	set.Above[0].Paint(f, &style.Canvas{Shape: rectangle(square), Around: image.NewRGBA(area), Inside: inside})
	return inside
}

func TestAPatternIsRepeatedFromTheCornerOfTheLayer(t *testing.T) {
	for name, c := range map[string]struct {
		props  []*aep.Property
		begin  int // where a tile begins
		period int
	}{
		"as it is":             {nil, 20, 4},
		"moved":                {[]*aep.Property{value("patternFill/phase", 3, 0)}, 23, 4},
		"from the composition": {[]*aep.Property{value("patternFill/align", 0)}, 1, 4},
		"ten times as large":   {[]*aep.Property{value("patternFill/scale", 1000)}, 20, 40},
		"large and moved":      {[]*aep.Property{value("patternFill/scale", 500), value("patternFill/phase", -7, 0)}, 13, 20},
	} {
		img := overlaid(t, c.props...)
		for x := 20; x < 60; x++ {
			at := ((x-c.begin)%c.period + c.period) % c.period
			want := 0.0
			if at >= c.period/2 {
				want = 255
			}
			if edge := c.period / 8; at < edge || at >= c.period-edge || at >= c.period/2-edge && at < c.period/2+edge {
				continue // of a large tile its pixels melt into each other there
			}
			near(t, name, img, x, 40, want, 1)
		}
	}
}

func TestASmallPatternIsItsMean(t *testing.T) {
	img := overlaid(t, value("patternFill/scale", 1))
	near(t, "mean", img, 30, 30, 127.5, 1)
	half := overlaid(t, value("patternFill/opacity", 50), value("patternFill/scale", 1))
	if a := half.RGBAAt(30, 30).A; a < 126 || a > 129 {
		t.Errorf("half of it is %d opaque", a)
	}
}
