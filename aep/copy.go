package aep

import "slices"

// CopyComposition adds a copy of a composition under a name, right after it. The copy has layers of its own, with ids of their own, and its
// Essential Graphics panel drives them.
func (p *Project) CopyComposition(of *Item, name string) *Item {
	comp := *of.Comp
	comp.Layers = nil
	comp.Controllers = slices.Clone(comp.Controllers)
	comp.Markers = slices.Clone(comp.Markers)
	it := *of
	it.Comp, it.Name, it.ID = &comp, name, p.freeID()
	ids := map[uint32]uint32{}
	next := it.ID
	for _, l := range of.Comp.Layers {
		next++
		n := l.Copy()
		ids[l.ID], n.ID = next, next
		comp.Layers = append(comp.Layers, n)
	}
	for _, l := range comp.Layers {
		l.Parent, l.MatteLayer = ids[l.Parent], ids[l.MatteLayer]
		l.Props.choose(ids)
	}
	for i := range comp.Controllers {
		if c := &comp.Controllers[i]; c.Comp == of.ID {
			c.Comp, c.Layer = it.ID, ids[c.Layer]
		}
	}
	p.Items = slices.Insert(p.Items, slices.Index(p.Items, of)+1, &it)
	return &it
}

// choose lets the parameters that choose a layer choose the one that took its place.
func (p *Property) choose(ids map[uint32]uint32) {
	if p == nil {
		return
	}
	if own, copied := ids[p.LayerRef]; copied {
		p.LayerRef = own
	}
	for _, c := range p.Children {
		c.choose(ids)
	}
}

// freeID is an id that neither an item nor a layer has, nor any id above it.
func (p *Project) freeID() uint32 {
	var id uint32
	for _, it := range p.Items {
		id = max(id, it.ID)
		if it.Comp != nil {
			for _, l := range it.Comp.Layers {
				id = max(id, l.ID)
			}
		}
	}
	return id + 1
}

// Copy is a copy of a layer that shares nothing with it that may change.
func (l *Layer) Copy() *Layer {
	n := *l
	n.Props = l.Props.Copy()
	n.Markers = slices.Clone(l.Markers)
	return &n
}

// Copy is a copy of a property with all below it; nil of nil.
func (p *Property) Copy() *Property {
	if p == nil {
		return nil
	}
	n := *p
	n.Value, n.Keys = CopyValue(p.Value), copyKeys(p.Keys)
	if p.Mask != nil {
		m := *p.Mask
		n.Mask = &m
	}
	n.Children = make([]*Property, len(p.Children))
	for i, c := range p.Children {
		n.Children[i] = c.Copy()
	}
	return &n
}

func copyKeys(keys []Keyframe) []Keyframe {
	out := slices.Clone(keys)
	for i := range out {
		k := &out[i]
		k.Value = CopyValue(k.Value)
		k.InEase, k.OutEase = slices.Clone(k.InEase), slices.Clone(k.OutEase)
		k.TangentIn, k.TangentOut = slices.Clone(k.TangentIn), slices.Clone(k.TangentOut)
	}
	return out
}

// CopyValue is a copy of a value. Those that are not understood never change, so they are shared.
func CopyValue(v Value) Value {
	switch v := v.(type) {
	case Numbers:
		return slices.Clone(v)
	case *TextDocument:
		d := *v
		d.Runs, d.Paragraphs = slices.Clone(v.Runs), slices.Clone(v.Paragraphs)
		return &d
	case *Path:
		p := *v
		p.Vertices = slices.Clone(v.Vertices)
		return &p
	case *Gradient:
		g := *v
		g.Colors, g.Alphas = slices.Clone(v.Colors), slices.Clone(v.Alphas)
		return &g
	}
	return v
}
