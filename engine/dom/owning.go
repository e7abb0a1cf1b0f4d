package dom

import (
	"slices"

	"overcrank/aep"
)

// owning gives a composition compositions of its own in the place of those that others show too, as far as its panel drives them.
type owning struct {
	*session
	driven map[uint32]bool      // the compositions that hold driven layers
	owned  map[uint32]*aep.Item // by the id of what was there before
}

// within makes what a composition shows its own.
func (o *owning) within(comp *aep.Item) {
	for _, l := range comp.Comp.Layers {
		inner := o.project.Item(l.Source)
		if inner == nil || inner.Comp == nil || !o.reaches(inner, map[uint32]bool{}) {
			continue
		}
		if known := o.owned[inner.ID]; known != nil {
			l.Source = known.ID
			continue
		}
		own := inner
		if o.shownOutside(inner, comp) {
			own = o.copyComp(inner, inner.Name)
		}
		o.owned[inner.ID], o.owned[own.ID] = own, own
		l.Source = own.ID
		o.within(own)
	}
}

// reaches tells whether a composition is driven, or shows one that is. seen are those that were looked at.
func (o *owning) reaches(it *aep.Item, seen map[uint32]bool) bool {
	if o.driven[it.ID] {
		return true
	}
	if seen[it.ID] {
		return false
	}
	seen[it.ID] = true
	return slices.ContainsFunc(it.Comp.Layers, func(l *aep.Layer) bool {
		inner := o.project.Item(l.Source)
		return inner != nil && inner.Comp != nil && o.reaches(inner, seen)
	})
}

// shownOutside tells whether another composition than comp shows it.
func (o *owning) shownOutside(it, comp *aep.Item) bool {
	return slices.ContainsFunc(o.project.Items, func(other *aep.Item) bool {
		return other != comp && other.Comp != nil &&
			slices.ContainsFunc(other.Comp.Layers, func(l *aep.Layer) bool { return l.Source == it.ID })
	})
}

// lead leads controllers to the layers of the compositions that took the place of others: they lie in the same order.
func (o *owning) lead(list []aep.Controller) {
	for i := range list {
		c := &list[i]
		before, own := o.project.Item(c.Comp), o.owned[c.Comp]
		if before == nil || own == nil || own == before {
			continue
		}
		at := slices.IndexFunc(before.Comp.Layers, func(l *aep.Layer) bool { return l.ID == c.Layer })
		if at >= 0 && at < len(own.Comp.Layers) {
			c.Comp, c.Layer = own.ID, own.Comp.Layers[at].ID
		}
	}
}
