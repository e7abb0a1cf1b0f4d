package cff

import (
	"bytes"
	"errors"
	"fmt"

	ps "github.com/go-text/typesetting/font/cff/interpreter"
)

// ErrUnfolds is the error of a font whose glyphs are too much work to draw.
var ErrUnfolds = errors.New("its glyphs are too complex")

// The operators that say what a program does next, or what its bytes mean.
const (
	opHstem     = 1
	opVstem     = 3
	opCallsubr  = 10
	opReturn    = 11
	opEndchar   = 14
	opShares    = 15
	opBlend     = 16
	opHstemhm   = 18
	opHintmask  = 19
	opCntrmask  = 20
	opVstemhm   = 23
	opCallgsubr = 29
)

// Unfolds runs the programs of all glyphs without drawing: a few bytes of subroutines that call each other can make billions of curves. It returns ErrUnfolds
// when a glyph takes more steps than perGlyph or all together take more than inAll, where a step is an operator or a number.
func (f *Font) Unfolds(perGlyph, inAll int) error {
	c := counter{font: f}
	for i, program := range f.Glyphs {
		c.steps, c.limit = 0, perGlyph
		if len(program) > perGlyph || bytes.IndexByte(program, opCallsubr) >= 0 || bytes.IndexByte(program, opCallgsubr) >= 0 || f.two {
			if err := c.run(i, program); err != nil {
				return err
			}
		} else {
			c.steps = len(program)
		}
		if inAll -= c.steps; inAll < 0 {
			return ErrUnfolds
		}
	}
	return nil
}

// counter counts the steps of programs.
type counter struct {
	font   *Font
	m      ps.Machine
	hints  *ps.CharstringReader
	steps  int
	limit  int
	refuse error
	shares int   // how many numbers belong to each one that varies
	varied int32 // how much of the stack may hold numbers that vary
}

func (c *counter) run(glyph int, program []byte) error {
	c.hints, c.refuse, c.varied, c.shares = &ps.CharstringReader{}, nil, 0, 0
	if c.font.two {
		c.begin(c.font.part(glyph).shares)
	}
	local, global := c.font.Subroutines(glyph)
	_ = c.m.Run(program, local, global, c) // a broken glyph is not drawn
	return c.refuse
}

// stop ends the count since the font is refused.
func (c *counter) stop(err error) error {
	c.refuse = err
	return err
}

// begin takes a list of shares. One that is not there changes nothing.
func (c *counter) begin(list int) {
	if list >= 0 && list < len(c.font.lists) {
		c.shares = c.font.lists[list]
		c.steps += c.shares * (1 + c.font.axes)
	}
}

// Context implements ps.OperatorHandler.
func (*counter) Context() ps.Context { return ps.Type2Charstring }

var errForeign = errors.New("an operator that glyphs don't have")

// Apply implements ps.OperatorHandler.
func (c *counter) Apply(m *ps.Machine, op ps.Operator) error {
	c.steps++
	if c.steps > c.limit {
		return c.stop(ErrUnfolds)
	}
	if op.IsEscaped {
		return c.clear(m)
	}
	switch op.Operator {
	case opCallsubr, opCallgsubr:
		if c.varies(m) {
			return c.refuse
		}
		if op.Operator == opCallsubr {
			return ps.LocalSubr(m)
		}
		return ps.GlobalSubr(m)
	case opReturn:
		return m.Return()
	case opEndchar:
		return ps.ErrInterrupt
	case opShares, opBlend:
		if !c.font.two || m.ArgStack.Top < 1 {
			return errForeign
		}
		if c.varies(m) {
			return c.refuse
		}
		if op.Operator == opBlend {
			return c.blend(m)
		}
		c.begin(int(m.ArgStack.Vals[m.ArgStack.Top-1]))
	case opHstem, opHstemhm:
		c.hints.Hstem(m)
	case opVstem, opVstemhm:
		c.hints.Vstem(m)
	case opHintmask, opCntrmask:
		c.hints.Hintmask(m)
		c.varied = min(c.varied, m.ArgStack.Top)
		return nil
	}
	return c.clear(m)
}

// varies refuses a font whose glyphs do something else in each variation, since what they do is not known then.
func (c *counter) varies(m *ps.Machine) bool {
	if m.ArgStack.Top > c.varied || m.ArgStack.Top == 0 {
		return false
	}
	_ = c.stop(fmt.Errorf("%w: what its glyphs do depends on its variation", ErrBroken))
	return true
}

func (c *counter) clear(m *ps.Machine) error {
	c.steps += int(m.ArgStack.Top)
	c.varied = 0
	m.ArgStack.Clear()
	return nil
}

// blend makes one number of each and its shares.
func (c *counter) blend(m *ps.Machine) error {
	n := int(m.ArgStack.Pop())
	if n < 0 || n*(c.shares+1) > int(m.ArgStack.Top) {
		return c.stop(fmt.Errorf("%w: a glyph mixes more numbers than it has", ErrBroken))
	}
	c.steps += n * c.shares
	m.ArgStack.Top -= int32(n * c.shares)
	c.varied = m.ArgStack.Top
	return nil
}
