package style

import (
	"strings"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// entry is a style that is drawn.
type entry struct {
	match string
	make  func(Params) Style
	below bool // it is painted before the layer itself
}

// table are the styles, from the lowest.
var table = []entry{
	{"dropShadow/enabled", newDropShadow, true},
	{"outerGlow/enabled", newOuterGlow, true},
	{patternOverlayMatch, newPatternOverlay, false},
	{"gradientFill/enabled", newGradientOverlay, false},
	{"solidFill/enabled", newColorOverlay, false},
	{"chromeFX/enabled", newSatin, false},
	{"innerGlow/enabled", newInnerGlow, false},
	{"innerShadow/enabled", newInnerShadow, false},
	{"frameFX/enabled", newStroke, false},
	{"bevelEmboss/enabled", newBevel, false},
}

// Set are the styles of a layer.
type Set struct {
	// Below are painted before the layer itself, Above after it.
	Below, Above []Style
	fill         eval.Number
	grouped      eval.Number
	// Lacks are parts that are not drawn, each with the style that it is of.
	Lacks []string
	// Pattern is the name of the Pattern Overlay, which is drawn where the layer's file has its pattern; empty without one.
	Pattern string
	// Missing are the names of styles that are not drawn at all.
	Missing []string
}

// Compile compiles the styles that are on of the group ref.Prop, "ADBE Layer Styles"; nil when they change nothing.
func Compile(ref eval.Ref) *Set {
	group := ref.Prop
	if group == nil || !group.Enabled || group.Hidden {
		return nil
	}
	options := group.Child("ADBE Blend Options Group")
	advanced := options.Child("ADBE Adv Blend Group")
	at := func(p *aep.Property) eval.Ref { return eval.Ref{Comp: ref.Comp, Layer: ref.Layer, Prop: p} }
	s := &Set{
		fill:    eval.NumberOf(at(advanced.Child("ADBE Layer Fill Opacity2")), 100),
		grouped: eval.NumberOf(at(advanced.Child("ADBE Blend Interior")), 0),
	}
	for _, channel := range []string{"R", "G", "B"} {
		if n := eval.NumberOf(at(advanced.Child("ADBE "+channel+" Channel Blend")), 1); n.Varies() || n.First() == 0 {
			s.Lacks = append(s.Lacks, "the channels of the blending options")
			break
		}
	}
	for _, e := range table {
		if p := group.Child(e.match); on(p) {
			s.add(e, Params{ref: at(p), options: at(options), prefix: strings.TrimSuffix(e.match, "enabled")})
		}
	}
	for _, p := range group.Children {
		if on(p) && p != options && !known(p.Match) {
			s.Missing = append(s.Missing, name(p))
		}
	}
	if len(s.Below)+len(s.Above)+len(s.Missing)+len(s.Lacks) == 0 && !s.fill.Varies() && s.fill.First() >= 100 {
		return nil
	}
	return s
}

func (s *Set) add(e entry, p Params) {
	p.lacks = new([]string)
	made := e.make(p)
	if e.match == patternOverlayMatch {
		s.Pattern = name(p.ref.Prop)
	}
	if e.below {
		s.Below = append(s.Below, made)
	} else {
		s.Above = append(s.Above, made)
	}
	for _, part := range *p.lacks {
		s.Lacks = append(s.Lacks, part+" of layer style '"+name(p.ref.Prop)+"'")
	}
}

// on tells whether a style is on. Files have all styles of each layer; those that were never added are hidden.
func on(p *aep.Property) bool { return p != nil && p.Group && p.Enabled && !p.Hidden }

func known(match string) bool {
	for _, e := range table {
		if e.match == match {
			return true
		}
	}
	return false
}

func name(p *aep.Property) string {
	if p.Name != "" {
		return p.Name
	}
	return p.Match
}

// Fill is how much is seen of the layer itself, without its styles, 0 to 1.
func (s *Set) Fill(f *Frame) float64 { return f.share(&s.fill) }

// Grouped tells whether the styles within the layer mix with it before it mixes with what lies below.
func (s *Set) Grouped(f *Frame) bool { return f.choice(&s.grouped) != 0 }

// Reach is how far the styles paint or read around the layer, in pixels of the picture.
func (s *Set) Reach(f *Frame) int {
	reach := 0
	for _, list := range [][]Style{s.Below, s.Above} {
		for _, one := range list {
			reach = max(reach, one.Reach(f))
		}
	}
	return min(reach, maxReach)
}
