package program

import (
	"fmt"

	ps "github.com/go-text/typesetting/font/cff/interpreter"
	"github.com/go-text/typesetting/font/opentype"
)

// type1Glyph draws what the program of a glyph of a Type 1 font says.
type type1Glyph struct {
	drawing
	font  *type1
	left  float64    // where the glyph begins
	bent  []ps.Point // points of a flat curve that is being described, nil for none
	bends bool
	lent  []float64 // numbers that the font's own procedures gave back
	depth int       // of glyphs that are made of others
}

func (g *type1Glyph) run(code []byte) error {
	var m ps.Machine
	if err := m.Run(code, g.font.subrs, nil, g); err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	return nil
}

// drawn is what was drawn. Before its first move there may be a line to where the glyph begins.
func (g *type1Glyph) drawn() []opentype.Segment {
	s := g.out.Segments
	for len(s) > 0 && s[0].Op != opentype.SegmentOpMoveTo {
		s = s[1:]
	}
	return s
}

// Context implements ps.OperatorHandler.
func (*type1Glyph) Context() ps.Context { return ps.Type1Charstring }

// The operators of Type 1 charstrings that those of Type 2 do not have or have otherwise.
const (
	opClosepath     = 9
	opHsbw          = 13
	escSeac         = 6
	escSbw          = 7
	escDiv          = 12
	escCallothersub = 16
	escPop          = 17
)

// Apply implements ps.OperatorHandler.
func (g *type1Glyph) Apply(m *ps.Machine, op ps.Operator) error {
	err := g.step()
	if err != nil {
		return err
	}
	if op.IsEscaped {
		return g.escaped(m, op)
	}
	switch op.Operator {
	case opCallsubr:
		return ps.LocalSubr(m)
	case opReturn:
		return m.Return()
	case opEndchar:
		g.out.ClosePath()
		return ps.ErrInterrupt
	case opHsbw:
		g.begin(m.ArgStack.Vals[0], 0)
	case opClosepath:
		g.out.ClosePath()
	case opHstem, opVstem:
	case opRmoveto, opHmoveto, opVmoveto:
		err = g.move(m, op.Operator)
	default:
		err = curve(&g.out, m, op)
	}
	m.ArgStack.Clear()
	return err
}

func (g *type1Glyph) begin(x, y float64) {
	g.left = x
	g.out.CurrentPoint = ps.Point{X: x, Y: y}
}

// move moves the pen, or adds a point of a flat curve.
func (g *type1Glyph) move(m *ps.Machine, op byte) error {
	if !g.bends {
		switch op {
		case opRmoveto:
			return g.out.Rmoveto(m)
		case opHmoveto:
			return g.out.Hmoveto(m)
		}
		return g.out.Vmoveto(m)
	}
	if m.ArgStack.Top < 1 || op == opRmoveto && m.ArgStack.Top < 2 {
		return errBroken
	}
	var by ps.Point
	switch v := m.ArgStack.Vals[:m.ArgStack.Top]; op {
	case opRmoveto:
		by = ps.Point{X: v[0], Y: v[1]}
	case opHmoveto:
		by.X = v[0]
	default:
		by.Y = v[0]
	}
	g.bent = append(g.bent, by)
	return nil
}

func (g *type1Glyph) escaped(m *ps.Machine, op ps.Operator) error {
	top := m.ArgStack.Top
	switch op.Operator {
	case escDiv:
		if top < 2 {
			return errBroken
		}
		b, a := m.ArgStack.Pop(), m.ArgStack.Pop()
		g.push(m, a/b)
		return nil
	case escPop:
		v := 0.0
		if n := len(g.lent); n > 0 {
			v, g.lent = g.lent[n-1], g.lent[:n-1]
		}
		g.push(m, v)
		return nil
	case escCallothersub:
		return g.procedure(m)
	case escSbw:
		g.begin(m.ArgStack.Vals[0], m.ArgStack.Vals[1])
	case escSeac:
		if top < 5 {
			return errBroken
		}
		v := [5]float64(m.ArgStack.Vals[:5])
		return g.compose(v)
	}
	m.ArgStack.Clear()
	return nil
}

func (*type1Glyph) push(m *ps.Machine, v float64) {
	m.ArgStack.Vals[m.ArgStack.Top] = v
	m.ArgStack.Top++
}

// procedure does the font's own procedures: 0 to 2 describe a flat curve, 3 changes hints.
func (g *type1Glyph) procedure(m *ps.Machine) error {
	if m.ArgStack.Top < 2 {
		return errBroken
	}
	which, n := int(m.ArgStack.Pop()), int32(m.ArgStack.Pop())
	if n < 0 || n > m.ArgStack.Top {
		return errBroken
	}
	g.lent = nil
	for range n {
		g.lent = append(g.lent, m.ArgStack.Pop())
	}
	switch which {
	case 0:
		g.bend()
	case 1:
		g.bent, g.bends = nil, true
	case 3:
		g.lent = []float64{3}
	}
	return nil
}

// bend draws a flat curve of two: the first of its seven points is only where the others begin.
func (g *type1Glyph) bend() {
	p := g.bent
	g.bent, g.bends = nil, false
	if len(p) == 7 {
		p[1].Move(p[0].X, p[0].Y)
		g.out.RelativeCurveTo(p[1], p[2], p[3])
		g.out.RelativeCurveTo(p[4], p[5], p[6])
	}
	if n := len(g.lent); n > 1 { // x and y, without the height that comes first
		g.lent = g.lent[:2]
	}
}

// compose draws a letter and its accent, which are named by their standard codes.
func (g *type1Glyph) compose(v [5]float64) error {
	if g.depth > 0 {
		return errComplex
	}
	segments := g.out.Segments
	left := g.left
	for i, code := range v[3:] {
		glyph, ok := g.font.names[StandardName(byte(code))]
		if !ok {
			continue
		}
		part := type1Glyph{font: g.font, depth: 1, drawing: drawing{steps: g.steps}}
		if err := part.run(g.font.glyphs[glyph]); err != nil {
			return err
		}
		g.steps = part.steps
		by := opentype.SegmentPoint{}
		if i == 1 {
			by = opentype.SegmentPoint{X: float32(left - v[0] + v[1]), Y: float32(v[2])}
		}
		for _, s := range part.drawn() {
			for k := range s.Args {
				s.Args[k].X += by.X
				s.Args[k].Y += by.Y
			}
			segments = append(segments, s)
		}
	}
	g.out.Segments = segments
	return ps.ErrInterrupt
}
