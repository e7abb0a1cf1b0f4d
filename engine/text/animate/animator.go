package animate

import (
	"strings"

	"overcrank/engine/eval"
)

// animator is a text animator: properties, and selectors that tell how much each glyph has of them.
type animator struct {
	selectors  []selector
	properties []property
	how        manner
	resizes    bool // it changes more than colours and opacity
}

// property is one property of an animator.
type property struct {
	change
	value eval.Vector
}

// manner are the properties of an animator that tell how others work. They are numbers of menus.
type manner struct{ tracking, alignment, characters eval.Number }

// The entries of the menus of a manner.
const (
	trackBefore = 2 // 1 is before and after
	trackAfter  = 3

	alignCenter = 2 // 1 is left or top
	alignRight  = 3
	alignKern   = 4

	fullUnicode = 2 // 1 preserves case and digits
)

// animator adds the animator p, the index-th of the text.
func (x *Text) animator(p params, index int) {
	a := animator{}
	if group := p.child("ADBE Text Selectors"); group.ref.Prop != nil {
		for i, s := range group.ref.Prop.Children {
			if s.Enabled && s.Group && x.room(p) {
				a.add(group.of(s), chance{layer: layerID(p.ref), animator: index, selector: i})
			}
		}
	}
	props := p.child("ADBE Text Animator Properties")
	if props.ref.Prop == nil {
		return
	}
	for _, child := range props.ref.Prop.Children {
		if child.Hidden || child.Group || how[child.Match] || !x.room(p) {
			continue // a hidden one was not added, or does not apply
		}
		c, known := changes[child.Match]
		if !known {
			x.lack("property '%s' of text animator '%s'", props.of(child).name(), p.name())
			continue
		}
		v := props.vector(child.Match, c.initial)
		if c.deep != nil && !x.inSpace && (v.Varies() || c.deep(v.At(nil, 0))) {
			x.almost("the depth of characters in text animator '%s'", p.name())
		}
		a.properties = append(a.properties, property{c, v})
		a.resizes = a.resizes || !strings.HasPrefix(child.Match, "ADBE Text Fill") && !strings.HasPrefix(child.Match, "ADBE Text Stroke") && child.Match != "ADBE Text Opacity" && child.Match != "ADBE Text Blur"
	}
	a.how = manner{
		tracking: props.number("ADBE Text Track Type", 1), alignment: props.number("ADBE Text Character Change Type", 1),
		characters: props.number("ADBE Text Character Range", 1),
	}
	if len(a.properties) > 0 {
		x.animators = append(x.animators, a)
	}
}

// how are the properties of a manner.
var how = map[string]bool{"ADBE Text Track Type": true, "ADBE Text Character Change Type": true, "ADBE Text Character Range": true}

// room tells whether another selector or property may be added.
func (x *Text) room(p params) bool {
	x.parts++
	if x.parts == maxParts+1 {
		x.lack("what text animator '%s' and those after it have beyond %d selectors and properties", p.name(), maxParts)
	}
	return x.parts <= maxParts
}

// add adds the selector p.
func (a *animator) add(p params, c chance) {
	make, known := selectors[p.ref.Prop.Match]
	if !known {
		p.text.lack("text selector '%s'", p.name())
		return
	}
	a.selectors = append(a.selectors, make(p, c))
}

func layerID(ref eval.Ref) uint32 {
	if ref.Layer == nil {
		return 0
	}
	return ref.Layer.ID
}

func (a *animator) apply(s *setting) {
	amounts := a.amounts(s)
	tracking, alignment, characters := s.number(&a.how.tracking), s.number(&a.how.alignment), s.number(&a.how.characters)
	for i := range a.properties {
		p := &a.properties[i]
		v := p.value.At(s.eval, s.t)
		for j := range s.glyphs {
			g := &s.glyphs[j]
			if amounts[j] == (amount{}) {
				continue
			}
			g.tracking, g.alignment, g.characters = int(tracking), int(alignment), int(characters)
			p.apply(g, v, amounts[j])
		}
	}
}

// amounts are how much each glyph has of the properties. Without selectors each has all.
func (a *animator) amounts(s *setting) []amount {
	out := make([]amount, len(s.glyphs))
	for i := range out {
		out[i] = amount{1, 1, 1}
	}
	for i, sel := range a.selectors {
		sel.apply(s, out, i == 0)
	}
	return out
}
