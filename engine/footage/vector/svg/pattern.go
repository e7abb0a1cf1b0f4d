package svg

import (
	"slices"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// pattern is what a pattern paints an outline with; nil for nothing.
func (w *walker) pattern(e *element, opacity float64, o geom.Outline) (*vector.Pattern, error) {
	line := w.inheritance(e, "pattern")
	box := tight(o)
	ofBox := geom.Translate(box.MinX, box.MinY).Mul(geom.Scale(box.MaxX-box.MinX, box.MaxY-box.MinY))
	port, units := w.port, geom.Identity
	if line.attr("patternUnits") != "userSpaceOnUse" {
		port, units = viewport{1, 1}, ofBox
	}
	x, _ := length(line.attr("x"), port.w, w.style.fontSize)
	y, _ := length(line.attr("y"), port.h, w.style.fontSize)
	width, _ := length(line.attr("width"), port.w, w.style.fontSize)
	height, _ := length(line.attr("height"), port.h, w.style.fontSize)
	tile := geom.Rect{MinX: x, MinY: y, MaxX: x + width, MaxY: y + height}.Transform(units)
	turn, ok := transform(line.attr("patternTransform"))
	if !ok || !(width > 0 && height > 0) || tile.Empty() {
		return nil, nil
	}
	// The content has the same space in every tile, which begins where the tile does.
	m := geom.Translate(tile.MinX, tile.MinY)
	if fit, _, ok := viewBox(line.attr("viewBox"), line.attr("preserveAspectRatio"), tile.MaxX-tile.MinX, tile.MaxY-tile.MinY); ok {
		m = m.Mul(fit)
	} else if line.attr("patternContentUnits") == "objectBoundingBox" {
		if box.Empty() {
			return nil, nil
		}
		m = m.Mul(geom.Scale(box.MaxX-box.MinX, box.MaxY-box.MinY))
	}
	inside, err := w.tile(line)
	if inside == nil || err != nil {
		return nil, err
	}
	content := vector.NewGroup(m)
	content.Nodes = []vector.Node{inside}
	return &vector.Pattern{
		Content: content, Cell: tile, Step: geom.Point{X: tile.MaxX - tile.MinX, Y: tile.MaxY - tile.MinY}, Matrix: turn, Opacity: opacity,
	}, nil
}

// tile is what a pattern shows, in its own units: the content of the first in line that has any. It is walked once.
func (w *walker) tile(line inheritance) (*vector.Group, error) {
	var of *element
	for _, one := range line {
		if len(one.children) > 0 {
			of = one
			break
		}
	}
	if of == nil {
		return nil, nil
	}
	if len(w.using) >= maxUses || slices.Contains(w.using, of) {
		w.out.Lack("parts that use themselves")
		return nil, nil
	}
	if known, ok := w.spent.tiles[of]; ok {
		return known, nil
	}
	in := *w
	if in.depth++; in.depth > vector.MaxDepth {
		return nil, vector.ErrTooMuch
	}
	in.using = append(slices.Clone(w.using), of)
	in.style = initial().within(w.sheet.properties(of))
	g := vector.NewGroup(geom.Identity)
	if err := in.children(of, g); err != nil {
		return nil, err
	}
	w.spent.tiles[of] = g
	return g, nil
}
