package aep

import (
	"maps"
	"slices"

	"overcrank/aep/rifx"
)

const (
	matchOverrides = "ADBE Layer Overrides"
	matchAlternate = "ADBE Layer Source Alternate"
)

// overrideFields are the ids of the fields that a layer sets for itself, as the list before their values has them.
func (r *reader) overrideFields(list *rifx.Chunk) []string {
	var ids []string
	for i := range list.Children {
		if c := &list.Children[i]; c.ID == "CPrp" {
			ids = append(ids, r.text(c.Find("Utf8")))
		}
	}
	return ids
}

// nameFields tells the values of a group which fields they are of: one id for each value, or for each value in groups too. Where the numbers
// do not agree it is not known, and no value gets a field.
func (p *Property) nameFields(ids []string) {
	values := p.Children
	if len(values) != len(ids) {
		values = p.leaves(nil)
	}
	if len(values) != len(ids) {
		return
	}
	for i, v := range values {
		v.Field = ids[i]
	}
}

func (p *Property) leaves(out []*Property) []*Property {
	for _, c := range p.Children {
		if c.Group {
			out = c.leaves(out)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// Settle gives a layer a composition of its own in the place of src, which it shows (Own), and puts the values into it that the layer sets for
// itself. Those are no longer among the layer's properties then. It returns the composition that the layer shows.
func (p *Project) Settle(l *Layer, src *Item) *Item {
	src = p.Own(l, src)
	set := l.Props.Child(matchOverrides)
	if set == nil || len(set.Children) == 0 {
		return src
	}
	set.Children = p.settleGroup(src, set)
	return src
}

// settleGroup puts the values of a group into what src's panel drives, and returns those that could not be put there.
func (p *Project) settleGroup(src *Item, g *Property) (left []*Property) {
	for _, v := range g.Children {
		if v.Group {
			inner := *v
			if inner.Children = p.settleGroup(src, v); len(inner.Children) > 0 {
				left = append(left, &inner)
			}
			continue
		}
		at := slices.IndexFunc(src.Comp.Controllers, func(c Controller) bool { return c.ID != "" && c.ID == v.Field })
		if at < 0 || v.ExpressionOn || !p.settleValue(src, src.Comp.Controllers[at], v) {
			left = append(left, v)
		}
	}
	return left
}

// settleValue puts a value into what a controller drives; false when it drives nothing that takes such a value.
func (p *Project) settleValue(src *Item, c Controller, v *Property) bool {
	in := p.Item(c.Comp)
	if in == nil || in.Comp == nil || !p.holds(src, in, map[uint32]bool{}) {
		return false // what the layer does not show belongs to others
	}
	at := slices.IndexFunc(in.Comp.Layers, func(l *Layer) bool { return l.ID == c.Layer })
	if at < 0 {
		return false
	}
	driven := in.Comp.Layers[at]
	if len(c.Path) == 0 || c.Path[len(c.Path)-1] == matchAlternate {
		return p.settleMedia(in, driven, v)
	}
	prop := c.Property(driven)
	if prop == nil || prop.Group {
		return false
	}
	s := settling{of: driven, to: prop, units: p.drivenUnits(in.Comp, driven, c), own: prop.Match == v.Match}
	return s.put(v)
}

// settleMedia shows another source in the place of a layer's, at its own size.
func (p *Project) settleMedia(in *Item, l *Layer, v *Property) bool {
	src := p.Item(v.SourceRef)
	if src == nil || src.Kind == ItemFolder || l.Kind != LayerAV || src.Comp != nil && p.holds(src, in, map[uint32]bool{}) {
		return false
	}
	before := p.Item(l.Source)
	l.Source = src.ID
	l.OtherSize = l.OtherSize || before != nil && src.size() != before.size()
	return true
}

// size is the width and height of an item, in pixels; 0 and 0 for one without.
func (i *Item) size() (of [2]int) {
	switch {
	case i.Comp != nil:
		of = [2]int{i.Comp.Width, i.Comp.Height}
	case i.Footage != nil:
		of = [2]int{i.Footage.Width, i.Footage.Height}
	}
	return of
}

// holds tells whether a composition is another, or shows it at any depth.
func (p *Project) holds(it, other *Item, seen map[uint32]bool) bool {
	if it == other {
		return true
	}
	if it == nil || it.Comp == nil || seen[it.ID] {
		return false
	}
	seen[it.ID] = true
	return slices.ContainsFunc(it.Comp.Layers, func(l *Layer) bool { return p.holds(p.Item(l.Source), other, seen) })
}

// drivenUnits are the units in which a file has the values of the property that a controller drives.
func (p *Project) drivenUnits(comp *Composition, l *Layer, c Controller) units {
	r := reader{project: p}
	scope := r.scope(comp, l)
	if n := len(c.Path); n > 1 {
		scope.effect = p.effects[c.Path[n-2]]
	}
	return unitsOf(c.Property(l), scope)
}

// settling puts a value that a layer sets for itself into a property.
type settling struct {
	of    *Layer // that has the property
	to    *Property
	units units
	own   bool // the value was read as one of the property itself, in its units
}

func (s settling) put(v *Property) bool {
	value := s.value(v.Value)
	if value == nil {
		return false
	}
	keys := copyKeys(v.Keys)
	for i := range keys {
		k := &keys[i]
		if k.Value = s.value(k.Value); k.Value == nil || s.of.Stretch == 0 {
			return false
		}
		// The time of the layer that sets it is that of the composition which has the property.
		k.Time = (k.Time - s.of.Start) * 100 / s.of.Stretch
	}
	s.to.Value, s.to.Keys, s.to.ExpressionOn = value, keys, false
	return true
}

// value is a value in the units of the property; nil for one of another kind.
func (s settling) value(v Value) Value {
	switch v := v.(type) {
	case Numbers:
		was, ok := s.to.Value.(Numbers)
		if !ok || len(v) == 0 {
			return nil
		}
		out := slices.Clone(was)
		for i := range min(len(out), len(v)) {
			out[i] = v[i]
			if !s.own && !s.units.color {
				out[i] *= s.units.scale[min(i, maxDimensions-1)]
			}
		}
		return out
	case *TextDocument:
		if _, ok := s.to.Value.(*TextDocument); !ok {
			return nil
		}
		return CopyValue(v)
	}
	return nil
}

// mostInstances is how many copies of compositions a project may need for the values that layers set for themselves, and mostInstanceLayers how
// many layers these may have. Layers beyond that show the composition without their values, and are warned of.
const (
	mostInstances      = 500
	mostInstanceLayers = 20_000
)

// Instances is the project in which layers that set essential properties for themselves show compositions of their own that have these values.
// What is not concerned is shared with p, and p itself stays as it is; without such layers it is what is returned. Ids of items stay the same.
func (p *Project) Instances() *Project {
	if !slices.ContainsFunc(p.Items, func(it *Item) bool { return it.Comp != nil && slices.ContainsFunc(it.Comp.Layers, sets) }) {
		return p
	}
	out := *p
	out.effects = maps.Clone(p.effects)
	out.Items = make([]*Item, len(p.Items))
	for i, it := range p.Items {
		out.Items[i] = it.apart()
	}
	n := instancing{Project: &out, before: len(out.Items), items: make(map[uint32]*Item, len(out.Items)), done: map[*Item]bool{}}
	for _, it := range slices.Backward(out.Items) {
		n.items[it.ID] = it
	}
	for _, it := range slices.Clone(out.Items) {
		n.settle(it)
	}
	return &out
}

// sets tells whether a layer sets essential properties for itself.
func sets(l *Layer) bool {
	g := l.Props.Child(matchOverrides)
	return g != nil && len(g.Children) > 0
}

// apart is an item whose layers may get another source.
func (it *Item) apart() *Item {
	if it.Comp == nil {
		return it
	}
	own, comp := *it, *it.Comp
	own.Comp = &comp
	comp.Layers = make([]*Layer, len(it.Comp.Layers))
	for i, l := range it.Comp.Layers {
		layer := *l
		if sets(l) {
			layer.Props = l.Props.Copy()
		}
		comp.Layers[i] = &layer
	}
	return &own
}

type instancing struct {
	*Project
	before int              // items of the project
	items  map[uint32]*Item // of the project, by id
	layers int              // of the copies
	done   map[*Item]bool   // compositions whose layers are settled, or about to be
}

// settle settles the layers of a composition, after those of the compositions that it shows: so their copies are settled too.
func (n *instancing) settle(it *Item) {
	if it.Comp == nil || n.done[it] {
		return
	}
	n.done[it] = true
	for _, l := range it.Comp.Layers {
		src := n.items[l.Source]
		if src == nil || src.Comp == nil {
			continue
		}
		n.settle(src)
		if !sets(l) || len(n.Items)-n.before >= mostInstances || n.layers >= mostInstanceLayers {
			continue
		}
		known := len(n.Items)
		// The layer gets a copy also where nobody else shows its source, so that this stays what the project has.
		own := n.CopyComposition(src, src.Name)
		l.Source = own.ID
		n.Settle(l, own)
		n.layers += (len(n.Items) - known) * len(src.Comp.Layers)
	}
}
