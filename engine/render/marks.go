package render

import (
	"image"
	"math"

	"overcrank/engine/effect"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/text/animate"
)

// boxOfMarks is the box that the glyphs of a text may touch; m maps pixels of the layer to those of the target.
func boxOfMarks(marks []animate.Mark, m geom.Matrix) geom.Rect {
	var box geom.Rect
	for i := range marks {
		box = box.Union(boxOfMark(&marks[i], m))
	}
	return box
}

func boxOfMark(mark *animate.Mark, m geom.Matrix) geom.Rect {
	var box geom.Rect
	to := m.Mul(mark.Matrix)
	for i := range mark.Shapes {
		box = box.Union(mark.Shapes[i].Bounds().Transform(to))
	}
	if sx, sy := sigmas(mark.Blur, m); sx+sy > 0 {
		box = box.Grow(float64(max(raster.BlurReach(sx), raster.BlurReach(sy))))
	}
	return box
}

// sigmas are the standard deviations of a blur in pixels of the target.
func sigmas(blur geom.Point, m geom.Matrix) (sx, sy float64) {
	x, y := m.AxisScale()
	return blur.X * x * effect.BlurSigma, blur.Y * y * effect.BlurSigma
}

// drawMarks draws glyphs over dst, those of one blur together.
func (w *worker) drawMarks(dst *raster.Image, marks []animate.Mark, m geom.Matrix) {
	groups := blurred(marks)
	if work(dst.Rect, groups, m) > maxBlurred {
		groups = levels(marks)
	}
	for _, g := range groups {
		if g[0].Blur == (geom.Point{}) {
			for i := range g {
				w.mark(dst, &g[i], m)
			}
			continue
		}
		w.blurMarks(dst, g, m)
	}
}

// blendMarks draws glyphs over dst, each mixed with those before it.
func (w *worker) blendMarks(dst *raster.Image, marks []animate.Mark, m geom.Matrix, blend raster.Blend) {
	for i := range marks {
		w.isolated(dst, boxOfMark(&marks[i], m), 1, blend, func(own *raster.Image) { w.drawMarks(own, marks[i:i+1], m) })
	}
}

// blurred divides marks where their blur changes.
func blurred(marks []animate.Mark) [][]animate.Mark {
	var out [][]animate.Mark
	for from := 0; from < len(marks); {
		to := from + 1
		for to < len(marks) && marks[to].Blur == marks[from].Blur {
			to++
		}
		out = append(out, marks[from:to])
		from = to
	}
	return out
}

// maxBlurred is how many pixels the surfaces of one text's blurs may have, together.
const maxBlurred = 32 << 20

// work is how many pixels the surfaces of the blurs of groups have.
func work(clip image.Rectangle, groups [][]animate.Mark, m geom.Matrix) int {
	sum := 0
	for _, g := range groups {
		if g[0].Blur != (geom.Point{}) {
			r := surroundings(clip, g, m)
			sum += r.Dx() * r.Dy()
		}
	}
	return sum
}

// blurLevels is how many blurs are told apart in a text whose glyphs would be too much work one by one.
const blurLevels = 12

// levels groups marks by how much they are blurred, wherever they are.
func levels(marks []animate.Mark) [][]animate.Mark {
	most := 0.0
	for i := range marks {
		most = max(most, marks[i].Blur.X, marks[i].Blur.Y)
	}
	step := most / blurLevels
	groups := make(map[geom.Point]int)
	var out [][]animate.Mark
	for _, mark := range marks {
		mark.Blur = geom.Point{X: math.Round(mark.Blur.X/step) * step, Y: math.Round(mark.Blur.Y/step) * step}
		if mark.Blur.X != mark.Blur.Y { // across and down would be as many levels each
			mean := math.Round((mark.Blur.X+mark.Blur.Y)/2/step) * step
			mark.Blur = geom.Point{X: mean, Y: mean}
		}
		i, known := groups[mark.Blur]
		if !known {
			i = len(out)
			groups[mark.Blur] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], mark)
	}
	return out
}

// surroundings are the pixels that the blurred picture of a group needs.
func surroundings(clip image.Rectangle, group []animate.Mark, m geom.Matrix) image.Rectangle {
	sx, sy := sigmas(group[0].Blur, m)
	reach := max(raster.BlurReach(sx), raster.BlurReach(sy))
	return raster.PixelRect(boxOfMarks(group, m)).Intersect(clip.Inset(-reach))
}

// blurMarks draws glyphs of one blur.
func (w *worker) blurMarks(dst *raster.Image, group []animate.Mark, m geom.Matrix) {
	r := surroundings(dst.Rect, group, m)
	if r.Intersect(dst.Rect).Empty() {
		return
	}
	own := w.r.surfaces.get(r)
	defer w.r.surfaces.put(own)
	for i := range group {
		w.mark(own, &group[i], m)
	}
	sx, sy := sigmas(group[0].Blur, m)
	raster.Blur(own, sx, sy)
	raster.Composite(dst, own, 1, raster.Normal)
}

// mark draws a glyph without its blur.
func (w *worker) mark(dst *raster.Image, mark *animate.Mark, m geom.Matrix) {
	to := m.Mul(mark.Matrix)
	if mark.Opacity == 1 || len(mark.Shapes) == 1 {
		for _, s := range mark.Shapes {
			s.Color[3] *= mark.Opacity
			w.paint(dst, &s, to)
		}
		return
	}
	var box geom.Rect
	for i := range mark.Shapes {
		box = box.Union(mark.Shapes[i].Bounds().Transform(to))
	}
	r := raster.PixelRect(box).Intersect(dst.Rect)
	if r.Empty() {
		return
	}
	own := w.r.surfaces.get(r)
	defer w.r.surfaces.put(own)
	for i := range mark.Shapes {
		w.paint(own, &mark.Shapes[i], to)
	}
	raster.Composite(dst, own, mark.Opacity, raster.Normal)
}
