package pdf

import (
	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// rampSteps is how many stops the function of a gradient becomes.
const rampSteps = 256

// shading reads an axial or radial gradient; nil for others, which are noted.
func (c *content) shading(v any, resources dict) *vector.Gradient {
	f := c.file
	c.steps += rampSteps
	d := f.dict(v)
	kind := f.number(d["ShadingType"], 0)
	space := f.space(d["ColorSpace"], resources, 0)
	of := f.function(d["Function"], 0)
	coords := f.numbers(d["Coords"])
	if kind != 2 && kind != 3 || space == nil || space.pattern || of == nil || len(coords) < 4 || kind == 3 && len(coords) < 6 {
		c.out.Lack("gradients that are neither linear nor radial")
		return nil
	}
	g := &vector.Gradient{Opacity: 1, Matrix: geom.Identity, Before: true, Past: true}
	if kind == 2 {
		g.Start, g.End = geom.Point{X: coords[0], Y: coords[1]}, geom.Point{X: coords[2], Y: coords[3]}
	} else {
		g.Radial = true
		g.Start, g.StartRadius = geom.Point{X: coords[0], Y: coords[1]}, max(0, coords[2])
		g.End, g.EndRadius = geom.Point{X: coords[3], Y: coords[4]}, max(0, coords[5])
	}
	for i, v := range f.array(d["Extend"]) {
		if on, _ := f.get(v).(bool); on && i == 0 {
			g.Before = false
		} else if on && i == 1 {
			g.Past = false
		}
	}
	domain := f.numbers(d["Domain"])
	if len(domain) < 2 {
		domain = []float64{0, 1}
	}
	for i := range rampSteps {
		t := float64(i) / (rampSteps - 1)
		rgb := space.colour(of([]float64{domain[0] + t*(domain[1]-domain[0])}))
		g.Stops = append(g.Stops, vector.Stop{Offset: t, Color: [4]float64{rgb[0], rgb[1], rgb[2], 1}})
	}
	return g
}
