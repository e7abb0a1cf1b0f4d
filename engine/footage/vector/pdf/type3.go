package pdf

import (
	"fmt"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// drawnFont is a font of Type 3, each letter of which is a content stream.
type drawnFont struct {
	letters   dict
	matrix    geom.Matrix
	resources dict
}

func (k *face) readDrawn() error {
	f := k.file
	k.named, k.based = f.encodingOf(k.dict["Encoding"], k.words)
	k.simpleWidths()
	k.drawn = &drawnFont{letters: f.dict(k.dict["CharProcs"]), matrix: matrixOf(f.numbers(k.dict["FontMatrix"])), resources: f.dict(k.dict["Resources"])}
	for code := range k.widths { // which are in the space of the letters
		k.widths[code] *= 1000 * k.drawn.matrix.A
	}
	k.width = 0
	return nil
}

// letter draws a letter of a font of Type 3 at the pen.
func (c *content) letter(code int) error {
	t := &c.state.text
	s, ok := c.file.get(t.face.drawn.letters[name(t.face.named[code])]).(*stream)
	switch {
	case !ok || t.mode%modeClip == modeUnseen || c.unseen > 0:
		return nil
	case t.mode >= modeClip:
		c.out.Lack("clips by text in fonts of Type 3")
		return nil
	case c.forming >= maxForms:
		return fmt.Errorf("%w: its letters lie within each other more than %d times", vector.ErrTooMuch, maxForms)
	}
	data, err := c.formData(s)
	if err != nil {
		return err
	}
	m := c.state.m.Mul(c.pen).Mul(geom.Matrix{A: t.size * t.stretch, D: t.size, F: t.rise}).Mul(t.face.drawn.matrix)
	if !m.Finite() {
		return nil
	}
	in := c.within()
	in.state.m, in.base, in.state.text = m, m, setting{stretch: 1}
	resources := t.face.drawn.resources
	if resources == nil {
		resources = c.resources
	}
	return in.run(data, resources)
}
