package aep

import (
	"slices"
	"strings"
)

// Complete adds to every layer the properties that the file leaves out because they have their default values, from the
// catalogue of match names. It is idempotent.
func Complete(p *Project) {
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			CompleteLayer(p, it.Comp, l)
		}
	}
}

// CompleteLayer is Complete for one layer of comp.
func CompleteLayer(p *Project, comp *Composition, l *Layer) {
	if l.Props == nil {
		l.Props = &Property{Match: "ADBE " + rootMatch(l.Kind), Name: p.DisplayName(l), Group: true, Enabled: true}
	}
	r := reader{project: p}
	c := completer{project: p, comp: comp, layer: l, scope: r.scope(comp, l)}
	c.group(l.Props, groupEntries("ADBE "+rootMatch(l.Kind)))
}

type completer struct {
	project *Project
	comp    *Composition
	layer   *Layer
	scope   *layerScope
}

// group puts the children of a group into the order of entries and adds missing ones. Children that are not in the
// catalogue keep their order, after the others.
func (c *completer) group(p *Property, entries []entry) {
	if ordered(entries) {
		p.Children = c.merge(p, entries)
	}
	for _, child := range p.Children {
		if !child.Group {
			continue
		}
		if def := c.project.effects[child.Match]; def != nil && p.Match == matchEffects {
			c.effect(child, def)
			continue
		}
		if p.Match == matchLayerStyles && child.Hidden {
			continue
		}
		c.group(child, groupEntries(child.Match))
	}
}

// ordered tells whether a group has fixed members, rather than members that people add in any order.
func ordered(entries []entry) bool {
	for _, e := range entries {
		if !e.rare {
			return true
		}
	}
	return false
}

func (c *completer) merge(p *Property, entries []entry) []*Property {
	out := make([]*Property, 0, len(entries))
	used := make(map[*Property]bool, len(p.Children))
	for _, e := range entries {
		found := false
		for _, child := range p.Children {
			if child.Match == e.match && !used[child] {
				used[child], found = true, true
				out = append(out, child)
			}
		}
		if !found && !e.rare {
			out = append(out, c.missing(e))
		}
	}
	for _, child := range p.Children {
		if !used[child] {
			out = append(out, child)
		}
	}
	return out
}

// missing makes a property with its default value.
func (c *completer) missing(e entry) *Property {
	p := &Property{
		Match: e.match, Name: displayName(e.match, c.scope), Group: e.group,
		Enabled: true, Spatial: e.spatial, Color: e.color, Hidden: c.hidden(e.match),
	}
	if e.name != "" && p.Name == e.match {
		p.Name = e.name
	}
	switch def := e.def.(type) {
	case Numbers:
		p.Value, p.Dimensions = append(Numbers(nil), def...), len(def)
	case *Gradient:
		p.Value = defaultGradient()
	}
	switch e.match {
	case matchAnchor:
		p.Value = c.anchor()
	case matchPosition:
		p.Value = c.center()
		if c.layer.Kind == LayerCamera {
			p.Value = Numbers{float64(c.comp.Width) / 2, float64(c.comp.Height) / 2, -c.zoom()}
		}
	case "ADBE Camera Zoom", "ADBE Camera Focus Distance":
		p.Value = Numbers{c.zoom()}
	case "ADBE Position_0":
		p.Value = c.center()[:1]
	case "ADBE Position_1":
		p.Value = c.center()[1:2]
	case "ADBE Opacity":
		if c.layer.Null {
			p.Value = Numbers{0} // new nulls are transparent
		}
	}
	return p
}

// hidden tells whether a property does not apply: those of the third dimension in 2D layers, and the single dimensions
// of a position that is not separated.
func (c *completer) hidden(match string) bool {
	flat := !c.layer.ThreeD && c.layer.Kind != LayerCamera && c.layer.Kind != LayerLight
	switch match {
	case "ADBE Position_0", "ADBE Position_1", "ADBE Position_2":
		position := c.layer.Props.Child(matchTransform).Child(matchPosition)
		return position == nil || !position.Separated
	case "ADBE Orientation", "ADBE Rotate X", "ADBE Rotate Y", "ADBE Material Options Group":
		return flat
	case "ADBE Scale", "ADBE Opacity":
		return c.layer.Kind == LayerCamera || c.layer.Kind == LayerLight
	case "ADBE Audio Group":
		it := c.project.Item(c.layer.Source)
		return it == nil || it.Comp == nil && (it.Footage == nil || !it.Footage.HasAudio)
	}
	return false
}

// center is the position of new layers.
func (c *completer) center() Numbers {
	return Numbers{float64(c.comp.Width) / 2, float64(c.comp.Height) / 2, 0}
}

// zoom is the zoom of a new camera: a lens of 50 mm on a film 36 mm wide.
func (c *completer) zoom() float64 { return float64(c.comp.Width) * 50 / 36 }

// anchor is the middle of the source. Layers without a source have their anchor at their origin; cameras and lights
// point at the middle of the composition.
func (c *completer) anchor() Numbers {
	switch {
	case c.layer.Kind == LayerCamera || c.layer.Kind == LayerLight:
		return c.center()
	case c.scope.fractions:
		return Numbers{c.scope.width / 2, c.scope.height / 2, 0}
	}
	return Numbers{0, 0, 0}
}

// effect adds the parameters that the file leaves out, from its own description of the effect.
func (c *completer) effect(p *Property, def *effectDefinition) {
	if len(def.params) == 0 {
		return
	}
	out := make([]*Property, 0, len(def.params))
	used := make(map[*Property]bool, len(p.Children))
	for i := range def.params {
		param := &def.params[i]
		if strings.HasSuffix(param.match, "-0000") {
			continue
		}
		child := (*Property)(nil)
		for _, have := range p.Children {
			if have.Match == param.match && !used[have] {
				child = have
				break
			}
		}
		if child == nil {
			child = c.parameter(param)
		}
		used[child] = true
		out = append(out, child)
	}
	for _, have := range p.Children {
		if !used[have] {
			out = append(out, have)
		}
	}
	p.Children = out
}

func (c *completer) parameter(param *parameter) *Property {
	p := &Property{
		Match: param.match, Name: strings.TrimSpace(param.name), Enabled: true, Choices: param.choices,
		Group: param.match == matchBuiltIn, Color: param.kind == paramColor,
		Spatial: param.kind == paramPoint || param.kind == paramPoint3D,
		Hidden:  param.kind == paramGroupEnd || param.kind == paramNothing,

		ChoosesLayer: param.kind == paramLayer,
	}
	if p.Name == "" {
		p.Name = displayName(param.match, nil)
	}
	if v := param.usual(c.scope); v != nil {
		p.Value, p.Usual, p.Dimensions = slices.Clone(v), v, len(v)
	}
	return p
}
