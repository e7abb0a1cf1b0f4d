package pdf

import (
	"math"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// ink is what a fill or a stroke paints with.
type ink struct {
	space   *colors
	rgb     [3]float64
	pattern any // of a pattern space, nil for none
	alpha   float64
}

// state is the graphics state.
type state struct {
	m            geom.Matrix
	fill, stroke ink
	pen          raster.StrokeStyle
	blend        raster.Blend
	text         setting
	group        *vector.Group // to which is added
	opened       []opened      // by this state, and not by those around it
}

// opened is a group that is added to another one when the state that opened it ends.
type opened struct {
	group, to *vector.Group
	masked    bool
}

func start(m geom.Matrix, to *vector.Group) state {
	black := ink{space: gray, alpha: 1}
	return state{m: m, fill: black, stroke: black, group: to, text: setting{stretch: 1}, pen: raster.StrokeStyle{Width: 1, Cap: raster.ButtCap, Join: raster.MiterJoin, MiterLimit: 10}}
}

const (
	maxSaved  = 500 // states
	maxGroups = 100 // within each other
)

func (c *content) save() error {
	if len(c.saved) == maxSaved {
		return vector.ErrTooMuch
	}
	c.saved = append(c.saved, c.state)
	c.state.opened = nil
	return nil
}

func (c *content) restore() error {
	if len(c.saved) == 0 {
		return nil
	}
	if err := c.closeAll(); err != nil {
		return err
	}
	c.state = c.saved[len(c.saved)-1]
	c.saved = c.saved[:len(c.saved)-1]
	return nil
}

// enter opens a group for what follows.
func (c *content) enter(g *vector.Group, masked bool) error {
	if c.groups++; c.groups > maxGroups {
		return vector.ErrTooMuch
	}
	c.state.opened = append(c.state.opened, opened{g, c.state.group, masked})
	c.state.group = g
	return nil
}

// leave closes the group that was opened last.
func (c *content) leave() error {
	last := len(c.state.opened) - 1
	o := c.state.opened[last]
	c.state.opened, c.state.group = c.state.opened[:last:last], o.to
	c.groups--
	if len(o.group.Nodes) == 0 {
		return nil
	}
	return c.out.Add(o.to, o.group)
}

func (c *content) closeAll() error {
	for len(c.state.opened) > 0 {
		if err := c.leave(); err != nil {
			return err
		}
	}
	return nil
}

// clip cuts what follows by an outline in the space of the page.
func (c *content) clip(o geom.Outline, evenOdd bool) error {
	if err := c.out.Count(o); err != nil {
		return err
	}
	area := vector.Clip{{Outline: o, EvenOdd: evenOdd}}
	if n := len(c.state.opened); n > 0 && len(c.state.group.Nodes) == 0 && !c.state.opened[n-1].masked && len(c.state.group.Clips) < 16 {
		c.state.group.Clips = append(c.state.group.Clips, area)
		return nil
	}
	g := vector.NewGroup(geom.Identity)
	g.Clips = []vector.Clip{area}
	return c.enter(g, false)
}

// blends are the blend modes by After Effects' names.
var blends = map[name]string{
	"Multiply": "Multiply", "Screen": "Screen", "Overlay": "Overlay", "Darken": "Darken", "Lighten": "Lighten", "ColorDodge": "Color Dodge",
	"ColorBurn": "Color Burn", "HardLight": "Hard Light", "SoftLight": "Soft Light", "Difference": "Difference", "Exclusion": "Exclusion",
	"Hue": "Hue", "Saturation": "Saturation", "Color": "Color", "Luminosity": "Luminosity",
}

// extended sets what a dictionary of the graphics state says.
func (c *content) extended(d dict) error {
	f := c.file
	c.state.fill.alpha = max(0, min(1, f.number(d["ca"], c.state.fill.alpha)))
	c.state.stroke.alpha = max(0, min(1, f.number(d["CA"], c.state.stroke.alpha)))
	c.state.pen.Width = max(0, f.number(d["LW"], c.state.pen.Width))
	c.state.pen.MiterLimit = max(1, f.number(d["ML"], c.state.pen.MiterLimit))
	if v, ok := d["LC"]; ok {
		c.state.pen.Cap = raster.ButtCap + int(max(0, min(2, f.number(v, 0))))
	}
	if v, ok := d["LJ"]; ok {
		c.state.pen.Join = raster.MiterJoin + int(max(0, min(2, f.number(v, 0))))
	}
	if v := f.array(d["D"]); len(v) == 2 {
		c.dash(f.numbers(v[0]), f.number(v[1], 0))
	}
	if v := f.array(d["Font"]); len(v) == 2 {
		c.state.text.size = f.number(v[1], 0)
		if err := c.useFace(v[0]); err != nil {
			return err
		}
	}
	if v, ok := d["BM"]; ok {
		mode := f.name(v)
		if list := f.array(v); len(list) > 0 {
			mode = f.name(list[0])
		}
		c.state.blend, _ = raster.Mode(blends[mode])
	}
	if v, ok := d["SMask"]; ok {
		return c.softMask(v)
	}
	return nil
}

// softMask makes what follows as transparent as a form says.
func (c *content) softMask(v any) error {
	if n := len(c.state.opened); n > 0 && c.state.opened[n-1].masked {
		if err := c.leave(); err != nil {
			return err
		}
	}
	d := c.file.dict(v)
	if d == nil {
		return nil
	}
	form, ok := c.file.get(d["G"]).(*stream)
	if !ok {
		return nil
	}
	g := vector.NewGroup(geom.Identity)
	g.Mask = &vector.Mask{Content: *vector.NewGroup(geom.Identity), Luminance: c.file.name(d["S"]) == "Luminosity", Inverted: c.inverts(d["TR"])}
	in := *c
	in.saved, in.state = nil, start(c.state.m, &g.Mask.Content)
	if err := in.form(form); err != nil {
		return err
	}
	return c.enter(g, true)
}

// inverts tells whether a transfer function of a mask turns it over. Others that change it are noted.
func (c *content) inverts(tr any) bool {
	if tr == nil || c.file.name(tr) == "Identity" {
		return false
	}
	plain, over := false, false
	if of := c.file.function(tr, 0); of != nil {
		plain, over = true, true
		for _, x := range []float64{0, 0.25, 0.5, 1} {
			y := of([]float64{x})
			plain = plain && len(y) == 1 && math.Abs(y[0]-x) < 0.01
			over = over && len(y) == 1 && math.Abs(y[0]-1+x) < 0.01
		}
	}
	if !plain && !over {
		c.out.Lack("transfer functions of masks")
	}
	return over
}

// maxDashes limits the lengths of one pattern of dashes.
const maxDashes = 100

func (c *content) dash(lengths []float64, offset float64) {
	c.state.pen.Dashes, c.state.pen.DashOffset = nil, offset
	if len(lengths) <= maxDashes {
		c.state.pen.Dashes = lengths
	}
}
