package svg

import (
	"overcrank/engine/geom"
)

// maxPolygon limits the numbers of a polygon's points.
const maxPolygon = 2_000_000

// shapeOf is the outline of an element that is a shape, in its user space; false for other elements.
func (w *walker) shapeOf(e *element, v map[string]string) (geom.Outline, bool) {
	x := func(name string) float64 { n, _ := length(v[name], w.port.w, w.style.fontSize); return n }
	y := func(name string) float64 { n, _ := length(v[name], w.port.h, w.style.fontSize); return n }
	var o geom.Outline
	switch e.name {
	case "path":
		return outline(pathData(e, v)), true
	case "rect":
		return w.rect(v, x("x"), y("y"), x("width"), y("height")), true
	case "circle":
		r, _ := length(v["r"], w.port.diagonal(), w.style.fontSize)
		return ellipse(x("cx"), y("cy"), r, r), true
	case "ellipse":
		rx, okX := length(v["rx"], w.port.w, w.style.fontSize)
		ry, okY := length(v["ry"], w.port.h, w.style.fontSize)
		if !okX {
			rx = ry
		}
		if !okY {
			ry = rx
		}
		return ellipse(x("cx"), y("cy"), rx, ry), true
	case "line":
		o.Move(x("x1"), y("y1"))
		o.Line(x("x2"), y("y2"))
		return o, true
	case "polyline", "polygon":
		return polygon(numbers(e.attrs["points"], maxPolygon), e.name == "polygon"), true
	}
	return o, false
}

// pathData is what a path with properties draws.
func pathData(e *element, v map[string]string) string {
	if d := v["d"]; d != "" {
		return d
	}
	return e.attrs["d"]
}

func polygon(v []float64, closed bool) (o geom.Outline) {
	for i := 0; i+1 < len(v); i += 2 {
		if i == 0 {
			o.Move(v[0], v[1])
			continue
		}
		o.Line(v[i], v[i+1])
	}
	if closed && len(v) > 1 {
		o.Close()
	}
	return o
}

func ellipse(cx, cy, rx, ry float64) geom.Outline {
	if !(rx > 0 && ry > 0) {
		return geom.Outline{}
	}
	return rounded(cx-rx, cy-ry, 2*rx, 2*ry, rx, ry)
}

func (w *walker) rect(v map[string]string, x, y, width, height float64) geom.Outline {
	if !(width > 0 && height > 0) {
		return geom.Outline{}
	}
	rx, okX := length(v["rx"], w.port.w, w.style.fontSize)
	ry, okY := length(v["ry"], w.port.h, w.style.fontSize)
	if !okX || rx < 0 {
		rx = ry
	}
	if !okY || ry < 0 {
		ry = rx
	}
	return rounded(x, y, width, height, max(0, min(rx, width/2)), max(0, min(ry, height/2)))
}

// rounded is a rectangle with elliptic corners, in the order of the SVG specification: from the top left to the right.
func rounded(x, y, w, h, rx, ry float64) (o geom.Outline) {
	if rx == 0 || ry == 0 {
		o.Move(x, y)
		o.Line(x+w, y)
		o.Line(x+w, y+h)
		o.Line(x, y+h)
		o.Close()
		return o
	}
	const k = 1 - 0.5522847498307936
	o.Move(x+rx, y)
	if w > 2*rx {
		o.Line(x+w-rx, y)
	}
	o.Cubic(x+w-k*rx, y, x+w, y+k*ry, x+w, y+ry)
	if h > 2*ry {
		o.Line(x+w, y+h-ry)
	}
	o.Cubic(x+w, y+h-k*ry, x+w-k*rx, y+h, x+w-rx, y+h)
	if w > 2*rx {
		o.Line(x+rx, y+h)
	}
	o.Cubic(x+k*rx, y+h, x, y+h-k*ry, x, y+h-ry)
	if h > 2*ry {
		o.Line(x, y+ry)
	}
	o.Cubic(x, y+k*ry, x+k*rx, y, x+rx, y)
	o.Close()
	return o
}
