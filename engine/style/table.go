package style

import (
	"cmp"
	"path"
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

// optionsMatch is the group of the options that all styles of a layer share.
const optionsMatch = "ADBE Blend Options Group"

// Set are the styles of a layer.
type Set struct {
	// Below are painted before the layer itself, Above after it.
	Below, Above []Style
	fill         eval.Number
	grouped      eval.Number
	// On are the styles that are on, and the blending options where they change anything; Missing those of them that are not drawn at all.
	On, Missing []Named
	// Lacks are parts that are not drawn.
	Lacks []Lack
	// Pattern is the Pattern Overlay, which is drawn where the layer's file has its pattern; zero without one.
	Pattern Named
}

// Named is a style by its match name and its name.
type Named struct{ Match, Name string }

// Lack is a part of a style, or of the options of all, that is not drawn.
type Lack struct {
	What string // with the name of the style
	Of   Named
}

// Compile compiles the styles that are on of the group ref.Prop, "ADBE Layer Styles"; nil when they change nothing.
func Compile(ref eval.Ref) *Set {
	group := ref.Prop
	if group == nil || !group.Enabled || group.Hidden {
		return nil
	}
	options := group.Child(optionsMatch)
	advanced := options.Child("ADBE Adv Blend Group")
	at := func(p *aep.Property) eval.Ref { return eval.Ref{Comp: ref.Comp, Layer: ref.Layer, Prop: p} }
	s := &Set{
		fill:    eval.NumberOf(at(advanced.Child("ADBE Layer Fill Opacity2")), 100),
		grouped: eval.NumberOf(at(advanced.Child("ADBE Blend Interior")), 0),
	}
	for _, channel := range []string{"R", "G", "B"} {
		if n := eval.NumberOf(at(advanced.Child("ADBE "+channel+" Channel Blend")), 1); n.Varies() || n.First() == 0 {
			s.Lacks = append(s.Lacks, Lack{"the channels of the blending options", named(options)})
			break
		}
	}
	for _, e := range table {
		if p := group.Child(e.match); on(p) {
			s.add(e, Params{ref: at(p), options: at(options), prefix: strings.TrimSuffix(e.match, "enabled")})
		}
	}
	for _, p := range group.Children {
		if !on(p) || p == options {
			continue
		}
		s.On = append(s.On, named(p))
		if !known(p.Match) {
			s.Missing = append(s.Missing, named(p))
		}
	}
	if s.fill.Varies() || s.fill.First() < 100 || len(s.Lacks) > 0 && s.Lacks[0].Of.Match == optionsMatch {
		s.On = append(s.On, named(options))
	}
	if len(s.On) == 0 {
		return nil
	}
	return s
}

func (s *Set) add(e entry, p Params) {
	p.lacks = new([]string)
	made := e.make(p)
	for _, c := range p.ref.Prop.Children {
		n := eval.NumberOf(eval.Ref{Comp: p.ref.Comp, Layer: p.ref.Layer, Prop: c}, 0)
		if length := path.Base(c.Match); (length == "size" || length == "blur" || length == "distance") && n.May(func(v float64) bool { return v > maxReach }) {
			p.lack("what lies farther than 2000 pixels away")
			break
		}
	}
	if e.match == patternOverlayMatch {
		s.Pattern = named(p.ref.Prop)
	}
	if e.below {
		s.Below = append(s.Below, made)
	} else {
		s.Above = append(s.Above, made)
	}
	for _, part := range *p.lacks {
		of := named(p.ref.Prop)
		s.Lacks = append(s.Lacks, Lack{part + " of layer style '" + of.Name + "'", of})
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

func named(p *aep.Property) Named { return Named{p.Match, cmp.Or(p.Name, p.Match)} }

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
