package pdf

import (
	"fmt"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// setting is the part of the graphics state that concerns text.
type setting struct {
	face                *face
	size                float64
	spacing, wordSpaces float64
	stretch             float64 // 1 for none
	leading, rise       float64
	mode                int // how letters are painted
}

// How letters are painted: filled, stroked, both, not at all, and from clipped on the same with what follows clipped.
const (
	modeStroke = 1
	modeBoth   = 2
	modeUnseen = 3
	modeClip   = 4
	modeLast   = 7
)

// writing does the operators of text; false for others.
func (c *content) writing(op operator) (bool, error) {
	t := &c.state.text
	switch op {
	case "BT":
		c.line, c.pen = geom.Identity, geom.Identity
	case "ET":
		return true, c.cutByText()
	case "Tc":
		t.spacing = c.n(0)
	case "Tw":
		t.wordSpaces = c.n(0)
	case "Tz":
		t.stretch = c.n(0) / 100
	case "TL":
		t.leading = c.n(0)
	case "Ts":
		t.rise = c.n(0)
	case "Tr":
		t.mode = int(max(0, min(modeLast, c.n(0))))
	case "Tf":
		return true, c.setFace()
	case "Td":
		c.down(c.n(0), c.n(1))
	case "TD":
		t.leading = -c.n(1)
		c.down(c.n(0), c.n(1))
	case "T*":
		c.down(0, -t.leading)
	case "Tm":
		m := geom.Matrix{A: c.n(0), B: c.n(1), C: c.n(2), D: c.n(3), E: c.n(4), F: c.n(5)}
		c.line, c.pen = m, m
	case "Tj", "'", "\"", "TJ":
		return true, c.show(op)
	default:
		return false, nil
	}
	return true, nil
}

// down begins a new line.
func (c *content) down(x, y float64) {
	c.line = c.line.Mul(geom.Translate(x, y))
	c.pen = c.line
}

// setFace takes a font of the resources. One that cannot be drawn is noted, and its text left out.
func (c *content) setFace() error {
	t := &c.state.text
	if len(c.stack) < 2 {
		return nil
	}
	t.size = c.n(1)
	key, _ := c.stack[0].(name)
	return c.useFace(c.file.dict(c.resources["Font"])[key])
}

func (c *content) useFace(v any) error {
	t := &c.state.text
	r, shared := v.(ref)
	if known, ok := c.faces[r]; ok && shared {
		t.face = known
		return nil
	}
	t.face = nil
	d := c.file.dict(v)
	if d == nil {
		return nil
	}
	if c.steps += faceSteps; len(c.faces) == maxFaces {
		return fmt.Errorf("%w: its page has more than %d fonts", vector.ErrTooMuch, maxFaces)
	}
	face, err := c.readFace(d)
	switch {
	case tooMuch(err):
		return err
	case err != nil:
		c.out.Lack(err.Error())
		face = nil
	}
	if shared {
		c.faces[r] = face
	}
	t.face = face
	return nil
}

// show does the operators that show text.
func (c *content) show(op operator) error {
	t := &c.state.text
	switch {
	case op == "\"" && len(c.stack) >= 3:
		t.wordSpaces, t.spacing = c.n(0), c.n(1)
		c.down(0, -t.leading)
	case op == "'":
		c.down(0, -t.leading)
	}
	if len(c.stack) == 0 || t.face == nil {
		return nil
	}
	parts := array{c.stack[len(c.stack)-1]}
	if list, ok := parts[0].(array); ok {
		parts = list
	}
	var o geom.Outline
	for _, v := range parts {
		switch v := v.(type) {
		case text:
			if err := c.letters(v, &o); err != nil {
				return err
			}
		case float64:
			c.pen = c.pen.Mul(geom.Translate(-v/1000*t.size*t.stretch, 0))
		}
	}
	return c.ink(o)
}

// pointStep is how many points of letters cost as much as an operator; freshSteps is what a letter costs that was not drawn before.
const (
	pointStep  = 16
	freshSteps = 50
)

// letters adds the outlines of a string in user space.
func (c *content) letters(s []byte, to *geom.Outline) error {
	t := &c.state.text
	for len(s) > 0 {
		code, n := t.face.next(s)
		if n == 0 {
			return nil
		}
		if t.face.drawn != nil {
			if err := c.letter(code); err != nil {
				return err
			}
		}
		if _, known := t.face.known[code]; !known {
			c.steps += freshSteps
		}
		fig, err := t.face.figure(code)
		if err != nil {
			c.out.Lack(fmt.Sprintf("letters of the font '%.60s'", t.face.name))
		}
		if c.steps += 1 + len(fig.outline.Points)/pointStep; c.steps > maxSteps {
			return fmt.Errorf("%w: its page has more than %d operators", vector.ErrTooMuch, maxSteps)
		}
		if len(fig.outline.Verbs) > 0 && (t.mode != modeUnseen) && c.unseen == 0 {
			m := c.pen.Mul(geom.Matrix{A: t.size * t.stretch, D: -t.size, F: t.rise})
			if m.Finite() {
				to.Append(fig.outline.Transform(m))
			}
		}
		by := fig.advance*t.size + t.spacing
		if n == 1 && s[0] == ' ' {
			by += t.wordSpaces
		}
		c.pen = c.pen.Mul(geom.Translate(by*t.stretch, 0))
		s = s[n:]
	}
	return nil
}

// ink paints letters as the mode says.
func (c *content) ink(o geom.Outline) error {
	mode := c.state.text.mode
	if mode >= modeClip && c.unseen == 0 {
		c.lettered = true
		if err := c.out.Count(o); err != nil {
			return err
		}
		c.cut.Append(o.Transform(c.state.m))
	}
	if len(o.Verbs) == 0 {
		return nil
	}
	mode %= modeClip
	if mode != modeStroke && mode != modeUnseen {
		if err := c.add(o, &c.state.fill, nil, false); err != nil {
			return err
		}
	}
	if mode == modeStroke || mode == modeBoth {
		pen := c.state.pen
		return c.add(o, &c.state.stroke, &pen, false)
	}
	return nil
}

// cutByText clips what follows by the letters that were to do so.
func (c *content) cutByText() error {
	if !c.lettered {
		return nil
	}
	o := c.cut
	c.cut, c.lettered = geom.Outline{}, false
	return c.clip(o, false)
}
