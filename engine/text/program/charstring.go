package program

import (
	"fmt"

	ps "github.com/go-text/typesetting/font/cff/interpreter"
)

// drawing is what the program of a glyph draws.
type drawing struct {
	out   ps.CharstringReader
	steps int
}

// step counts an operator, since subroutines that call each other can make any number of them.
func (d *drawing) step() error {
	if d.steps++; d.steps > maxPoints || len(d.out.Segments) > maxPoints {
		return errComplex
	}
	return nil
}

// charstring draws what the program of a glyph of a CFF font says.
type charstring struct{ drawing }

// Context implements ps.OperatorHandler.
func (*charstring) Context() ps.Context { return ps.Type2Charstring }

// The operators of Type 2 charstrings that are not lines and curves.
const (
	opHstem     = 1
	opVstem     = 3
	opVmoveto   = 4
	opCallsubr  = 10
	opReturn    = 11
	opEndchar   = 14
	opHstemhm   = 18
	opHintmask  = 19
	opCntrmask  = 20
	opRmoveto   = 21
	opHmoveto   = 22
	opVstemhm   = 23
	opCallgsubr = 29
)

// Apply implements ps.OperatorHandler.
func (c *charstring) Apply(m *ps.Machine, op ps.Operator) error {
	err := c.step()
	if err != nil {
		return err
	}
	if op.IsEscaped {
		err = c.flex(m, op)
		m.ArgStack.Clear()
		return err
	}
	switch op.Operator {
	case opReturn:
		return m.Return()
	case opCallsubr:
		return ps.LocalSubr(m)
	case opCallgsubr:
		return ps.GlobalSubr(m)
	case opHintmask, opCntrmask:
		c.out.Hintmask(m)
		return nil
	case opEndchar:
		c.out.ClosePath()
		return ps.ErrInterrupt
	case opHstem, opHstemhm:
		c.out.Hstem(m)
	case opVstem, opVstemhm:
		c.out.Vstem(m)
	case opRmoveto:
		err = c.out.Rmoveto(m)
	case opHmoveto:
		err = c.out.Hmoveto(m)
	case opVmoveto:
		err = c.out.Vmoveto(m)
	default:
		err = curve(&c.out, m, op)
	}
	m.ArgStack.Clear()
	return err
}

// curve draws lines and curves.
func curve(out *ps.CharstringReader, m *ps.Machine, op ps.Operator) error {
	switch op.Operator {
	case 5:
		out.Rlineto(m)
	case 6:
		out.Hlineto(m)
	case 7:
		out.Vlineto(m)
	case 8:
		out.Rrcurveto(m)
	case 24:
		return out.Rcurveline(m)
	case 25:
		return out.Rlinecurve(m)
	case 26:
		out.Vvcurveto(m)
	case 27:
		out.Hhcurveto(m)
	case 30:
		out.Vhcurveto(m)
	case 31:
		out.Hvcurveto(m)
	default:
		return fmt.Errorf("%w: a glyph has the operator %s", errBroken, op)
	}
	return nil
}

func (c *charstring) flex(m *ps.Machine, op ps.Operator) error {
	switch op.Operator {
	case 34:
		return c.out.Hflex(m)
	case 35:
		return c.out.Flex(m)
	case 36:
		return c.out.Hflex1(m)
	case 37:
		return c.out.Flex1(m)
	}
	return fmt.Errorf("%w: a glyph has the operator %s", errBroken, op)
}
