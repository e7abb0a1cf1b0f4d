// Package animate evaluates what changes a text glyph by glyph: text animators with their selectors, the text's More Options, and a path
// that it follows.
//
// To add a selector, add a file with its constructor and a line in selector.go; to add a property of animators, a line in property.go.
// After Effects documents what these do, but not every formula; where the exports to Lottie have a published meaning, it is followed
// (https://lottiefiles.github.io/lottie-docs/text/).
package animate

import (
	"fmt"
	"slices"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
	"overcrank/engine/text"
)

// maxParts limits the selectors and properties of one text together.
const maxParts = 1000

// Text is what changes the glyphs of a text layer, compiled.
type Text struct {
	animators []animator
	options   options
	path      *path

	varies, timed bool
	inSpace       bool
	parts         int
	lacks, nearly []string
}

// Compile compiles the group ref.Prop, "ADBE Text Properties". It returns nil if nothing changes single glyphs.
func Compile(ref eval.Ref) *Text {
	x := &Text{}
	facing := false
	if l := ref.Layer; l != nil && l.ThreeD && l.CharactersInSpace {
		x.inSpace, facing = true, l.CharactersFace
	}
	p := params{ref: ref, text: x}
	if group := p.child("ADBE Text Animators"); group.ref.Prop != nil {
		for i, a := range group.ref.Prop.Children {
			if a.Enabled && a.Group {
				x.animator(group.of(a), i)
			}
		}
	}
	x.options = newOptions(p.child("ADBE Text More Options"))
	x.path = newPath(p.child("ADBE Text Path Options"))
	if len(x.animators) == 0 && x.path == nil && !facing && !x.options.ordered() && x.options.blend == nil && len(x.lacks) == 0 {
		return nil
	}
	return x
}

// Lacks are the parts that are not drawn.
func (x *Text) Lacks() []string { return x.lacks }

// Nearly are the parts of which only details are not drawn as After Effects draws them.
func (x *Text) Nearly() []string { return x.nearly }

// Varies tells whether the same document may look different at another time.
func (x *Text) Varies() bool { return x.varies || x.timed }

// Timed tells whether it may look different in each frame although no value changes.
func (x *Text) Timed() bool { return x.timed }

// InSpace tells whether each glyph has a place of its own in the space of the layer.
func (x *Text) InSpace() bool { return x.inSpace }

// Resizes tells whether it may change the box around the text.
func (x *Text) Resizes() bool {
	return x.path != nil || slices.ContainsFunc(x.animators, func(a animator) bool { return a.resizes })
}

// Blend is how each character is laid over those before it; nil for Normal.
func (x *Text) Blend() raster.Blend { return x.options.blend }

// Fonts has the glyphs of characters that take the place of others; a *text.Book.
type Fonts interface {
	Replace(g *text.Glyph, r rune) text.Glyph
}

// Marks are what is to be drawn of a text that was laid out in single glyphs, at composition time t, in order.
func (x *Text) Marks(e *eval.Evaluator, t float64, l *text.Layout, fonts Fonts) []Mark {
	s := setting{moment: moment{e, t}, layout: l, inSpace: x.inSpace, glyphs: make([]glyph, len(l.Glyphs))}
	for i := range s.glyphs {
		s.glyphs[i] = newGlyph(&l.Glyphs[i])
	}
	for i := range x.animators {
		x.animators[i].apply(&s)
	}
	s.replace(fonts)
	s.space()
	s.group(&x.options)
	return s.marks(&x.options, x.path.route(&s.moment))
}

// setting is a text being set at a time.
type setting struct {
	moment
	layout  *text.Layout
	inSpace bool
	glyphs  []glyph
}

// line calls do with the glyphs of each line.
func (s *setting) lines(do func(line int, glyphs []glyph)) {
	for from := 0; from < len(s.glyphs); {
		to := from
		for to < len(s.glyphs) && s.glyphs[to].Line == s.glyphs[from].Line {
			to++
		}
		do(s.glyphs[from].Line, s.glyphs[from:to])
		from = to
	}
}

// moment is when a text is evaluated.
type moment struct {
	eval *eval.Evaluator
	t    float64
}

func (m *moment) number(n *eval.Number) float64 { return n.At(m.eval, m.t) }

// params finds the properties of a group, whose Prop may be nil.
type params struct {
	ref  eval.Ref
	text *Text
}

func (p params) of(prop *aep.Property) params {
	p.ref.Prop = prop
	return p
}

func (p params) child(match string) params { return p.of(p.ref.Prop.Child(match)) }

// number is a property of one number. If it is animated, the text varies.
func (p params) number(match string, def float64) eval.Number {
	n := eval.NumberOf(p.child(match).ref, def)
	p.text.varies = p.text.varies || n.Varies()
	return n
}

func (p params) vector(match string, def [4]float64) eval.Vector {
	v := eval.VectorOf(p.child(match).ref, def)
	p.text.varies = p.text.varies || v.Varies()
	return v
}

func (p params) name() string {
	if p.ref.Prop.Name != "" {
		return p.ref.Prop.Name
	}
	return p.ref.Prop.Match
}

func (x *Text) lack(format string, args ...any) { x.lacks = add(x.lacks, fmt.Sprintf(format, args...)) }

func (x *Text) almost(format string, args ...any) {
	x.nearly = add(x.nearly, fmt.Sprintf(format, args...))
}

func add(list []string, what string) []string {
	for _, known := range list {
		if known == what {
			return list
		}
	}
	return append(list, what)
}
