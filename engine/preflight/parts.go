package preflight

import (
	"overcrank/aep"
	"overcrank/engine/scene"
)

// between stands between a feature that is told with its parts and these.
var between = map[scene.Feature]string{scene.Animators: ": ", scene.Shapes: " with "}

// part notes that something of a feature is used.
func (n *needs) part(of scene.Feature, name string) {
	if n.parts[of] == nil {
		n.parts[of] = make(map[string]bool)
	}
	n.parts[of][name] = true
}

// within notes what of text animators and of the contents of a shape layer is used, by the names that After Effects gives it.
func (n *needs) within(l *scene.Layer) {
	switch {
	case l.Kind == scene.Shape:
		n.operators(l.Props.Child("ADBE Root Vectors Group"), 0)
	case l.Glyphs != nil:
		n.animators(l.Props.Child("ADBE Text Properties"))
	}
}

// menus are the properties of animators that say how others work.
var menus = map[string]bool{"ADBE Text Track Type": true, "ADBE Text Character Change Type": true, "ADBE Text Character Range": true}

// selectors are those beside the range selector, which most animators have.
var selectors = map[string]string{"ADBE Text Wiggly Selector": "Wiggly Selector", "ADBE Text Expressible Selector": "Expression Selector"}

func (n *needs) animators(text *aep.Property) {
	if text.Find("ADBE Text Path Options", "ADBE Text Path").Float(0) >= 1 {
		n.part(scene.Animators, "Path")
	}
	group := text.Child("ADBE Text Animators")
	if group == nil {
		return
	}
	for _, a := range group.Children {
		if !a.Enabled {
			continue
		}
		if list := a.Child("ADBE Text Animator Properties"); list != nil {
			for _, p := range list.Children {
				if !p.Hidden && !p.Group && !menus[p.Match] {
					n.part(scene.Animators, scene.DisplayName(p))
				}
			}
		}
		if list := a.Child("ADBE Text Selectors"); list != nil {
			for _, s := range list.Children {
				if name, known := selectors[s.Match]; known && s.Enabled {
					n.part(scene.Animators, name)
				}
			}
		}
	}
}

// operators are those of shape layers, which change paths.
var operators = map[string]string{
	"ADBE Vector Filter - Trim": "Trim Paths", "ADBE Vector Filter - Merge": "Merge Paths", "ADBE Vector Filter - Repeater": "Repeater",
	"ADBE Vector Filter - RC": "Round Corners", "ADBE Vector Filter - Zigzag": "Zig Zag", "ADBE Vector Filter - PB": "Pucker & Bloat",
	"ADBE Vector Filter - Offset": "Offset Paths", "ADBE Vector Filter - Twist": "Twist", "ADBE Vector Filter - Roughen": "Wiggle Paths",
	"ADBE Vector Filter - Wiggler": "Wiggle Transform",
}

// deepest is how deep groups of shape layers are looked into: as deep as they are drawn.
const deepest = 200

func (n *needs) operators(group *aep.Property, depth int) {
	if group == nil || depth > deepest {
		return
	}
	for _, p := range group.Children {
		if !p.Enabled {
			continue
		}
		if name, known := operators[p.Match]; known {
			n.part(scene.Shapes, name)
		} else if p.Group {
			n.operators(p, depth+1)
		}
	}
}
