package aep

import "slices"

// Use is a file that a composition needs, and a layer that shows or plays it.
type Use struct {
	Item  *Item // the file's item
	Layer *Layer
	Comp  *Item // that contains the layer
}

// FileName is the name of a footage item's file, or of the item when the project does not say.
func (it *Item) FileName() string {
	if it.Footage != nil {
		if name := it.Footage.File.Base(); name != "" {
			return name
		}
	}
	return it.Name
}

// Uses lists, once each, the files of the visible or audible layers of comp, nested compositions included. Without these
// files comp cannot be rendered.
func (p *Project) Uses(comp *Item) []Use {
	var out []Use
	seen := map[uint32]bool{}
	var walk func(*Item)
	walk = func(c *Item) {
		if seen[c.ID] {
			return
		}
		seen[c.ID] = true
		perceived := c.Comp.perceived()
		for _, l := range c.Comp.Layers {
			it := p.Item(l.Source)
			switch {
			case it == nil || !perceived(l, it):
			case it.Comp != nil:
				walk(it)
			case it.Footage.Kind == FootageFile && !seen[it.ID]:
				seen[it.ID] = true
				out = append(out, Use{it, l, c})
			}
		}
	}
	walk(comp)
	return out
}

// perceived returns a function that tells whether a layer of c, with the item that it shows, is visible or audible.
func (c *Composition) perceived() func(l *Layer, source *Item) bool {
	solo := slices.ContainsFunc(c.Layers, func(l *Layer) bool { return l.Solo })
	mattes := c.mattes()
	return func(l *Layer, source *Item) bool {
		switch {
		case solo && !l.Solo && !mattes[l]:
			return false
		case source.Comp != nil:
			return l.Enabled || l.AudioEnabled || mattes[l]
		case source.Footage == nil:
			return false
		}
		pictures := source.Footage.HasVideo || source.Footage.Width > 0
		return pictures && (l.Enabled || mattes[l]) || source.Footage.HasAudio && l.AudioEnabled
	}
}

// mattes are the layers that are track mattes of others, whether they are enabled or not.
func (c *Composition) mattes() map[*Layer]bool {
	byID, out := map[uint32]*Layer{}, map[*Layer]bool{}
	for _, l := range c.Layers {
		if l.ID != 0 {
			byID[l.ID] = l
		}
	}
	for i, l := range c.Layers {
		switch {
		case l.Matte == MatteNone || !l.Enabled:
		case l.MatteLayer != 0 && byID[l.MatteLayer] != nil:
			out[byID[l.MatteLayer]] = true
		case l.MatteLayer == 0 && i > 0:
			out[c.Layers[i-1]] = true
		}
	}
	return out
}
