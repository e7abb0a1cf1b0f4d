package pdf

import (
	"fmt"
	"math"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// uncoloured is the PaintType of patterns that have the colour of the ink.
const uncoloured = 2

// tiling is what a tiling pattern paints with an ink, in the space of the state; nil for nothing. All types of tiling are alike here: tiles lie
// exactly as far apart as they say.
func (c *content) tiling(s *stream, with *ink) (*vector.Pattern, error) {
	f := c.file
	cell, ok := f.box(s.dict["BBox"])
	step := geom.Point{X: math.Abs(f.number(s.dict["XStep"], 0)), Y: math.Abs(f.number(s.dict["YStep"], 0))}
	if !ok || step.X == 0 || step.Y == 0 {
		c.out.Lack("patterns")
		return nil, nil
	}
	back, ok := c.state.m.Invert()
	if !ok {
		return nil, nil
	}
	inside, err := c.tile(s, with)
	if inside == nil || err != nil {
		return nil, err
	}
	return &vector.Pattern{
		Content: inside, Cell: cell, Step: step, Opacity: with.alpha,
		Matrix: back.Mul(c.base).Mul(matrixOf(f.numbers(s.dict["Matrix"]))),
	}, nil
}

// tileKey names a tile: one that has no colours of its own has those of the ink.
type tileKey struct {
	of  *stream
	rgb [3]float64
}

// tile is what a tile shows, in the space of the pattern; nil for nothing. It is read once for inks of the same colour.
func (c *content) tile(s *stream, with *ink) (*vector.Group, error) {
	key := tileKey{of: s}
	plain := c.file.number(s.dict["PaintType"], 1) == uncoloured
	if plain {
		key.rgb = with.rgb
	}
	if known, ok := c.tiles[key]; ok {
		if known == nil {
			c.out.Lack("parts that use themselves")
		}
		return known, nil
	}
	if c.forming >= maxForms {
		return nil, fmt.Errorf("%w: its patterns lie within each other more than %d times", vector.ErrTooMuch, maxForms)
	}
	data, err := c.formData(s)
	if err != nil {
		return nil, err
	}
	g := vector.NewGroup(geom.Identity)
	in := c.within()
	in.state, in.base, in.stained = start(geom.Identity, g), geom.Identity, plain
	if plain {
		in.state.fill.space, in.state.fill.rgb = rgb, with.rgb
		in.state.stroke = in.state.fill
	}
	c.tiles[key] = nil // while it is read
	if err := in.run(data, c.file.dict(s.dict["Resources"])); err != nil {
		return nil, err
	}
	c.tiles[key] = g
	return g, nil
}
