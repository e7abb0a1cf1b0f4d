package aep

import "slices"

// Own gives a layer that shows a composition with an Essential Graphics panel a copy of it that no other layer shows, and copies of the
// compositions within that the panel drives. What nobody else shows is not copied. It returns the composition that the layer shows then.
func (p *Project) Own(l *Layer, src *Item) *Item {
	if p.shownBy(src, func(_ *Item, other *Layer) bool { return other != l }) {
		src = p.CopyComposition(src, src.Name)
		l.Source = src.ID
	}
	o := owning{Project: p, driven: map[uint32]bool{}, owned: map[uint32]*Item{}}
	for _, c := range src.Comp.Controllers {
		if c.Comp != src.ID {
			o.driven[c.Comp] = true
		}
	}
	if len(o.driven) > 0 {
		o.within(src)
		o.lead(src.Comp.Controllers)
	}
	return src
}

// shownBy tells whether any layer for which by is true shows an item.
func (p *Project) shownBy(it *Item, by func(in *Item, l *Layer) bool) bool {
	return slices.ContainsFunc(p.Items, func(in *Item) bool {
		return in.Comp != nil && slices.ContainsFunc(in.Comp.Layers, func(l *Layer) bool { return l.Source == it.ID && by(in, l) })
	})
}

// owning gives a composition compositions of its own in the place of those that others show too, as far as its panel drives them.
type owning struct {
	*Project
	driven map[uint32]bool  // the compositions that hold driven layers
	owned  map[uint32]*Item // by the id of what was there before
}

// within makes what a composition shows its own.
func (o *owning) within(comp *Item) {
	for _, l := range comp.Comp.Layers {
		inner := o.Item(l.Source)
		if inner == nil || inner.Comp == nil || !o.reaches(inner, map[uint32]bool{}) {
			continue
		}
		if known := o.owned[inner.ID]; known != nil {
			l.Source = known.ID
			continue
		}
		own := inner
		if o.shownBy(inner, func(in *Item, _ *Layer) bool { return in != comp }) {
			own = o.CopyComposition(inner, inner.Name)
		}
		o.owned[inner.ID], o.owned[own.ID] = own, own
		l.Source = own.ID
		o.within(own)
	}
}

// reaches tells whether a composition is driven, or shows one that is. seen are those that were looked at.
func (o *owning) reaches(it *Item, seen map[uint32]bool) bool {
	if o.driven[it.ID] {
		return true
	}
	if seen[it.ID] {
		return false
	}
	seen[it.ID] = true
	return slices.ContainsFunc(it.Comp.Layers, func(l *Layer) bool {
		inner := o.Item(l.Source)
		return inner != nil && inner.Comp != nil && o.reaches(inner, seen)
	})
}

// lead leads controllers to the layers of the compositions that took the place of others: they lie in the same order.
func (o *owning) lead(list []Controller) {
	for i := range list {
		c := &list[i]
		before, own := o.Item(c.Comp), o.owned[c.Comp]
		if before == nil || own == nil || own == before {
			continue
		}
		at := slices.IndexFunc(before.Comp.Layers, func(l *Layer) bool { return l.ID == c.Layer })
		if at >= 0 && at < len(own.Comp.Layers) {
			c.Comp, c.Layer = own.ID, own.Comp.Layers[at].ID
		}
	}
}
