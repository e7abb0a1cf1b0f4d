package dom

import (
	"github.com/dop251/goja"

	"overcrank/aep"
)

// itemRef stands for a line of the project panel, or for the root folder, which the project doesn't list.
type itemRef struct {
	item *aep.Item
	root bool
}

func (s *session) item(it *aep.Item) *goja.Object {
	if it == nil {
		return s.app.rootFolder
	}
	if o, ok := s.items[it]; ok {
		return o
	}
	c := s.classes.folderItem
	switch it.Kind {
	case aep.ItemComposition:
		c = s.classes.compItem
	case aep.ItemFootage:
		c = s.classes.footageItem
	}
	o := c.object(&itemRef{item: it})
	s.items[it] = o
	return o
}

// itemOrNull is item for an id, and null for none.
func (s *session) itemOrNull(id uint32) any {
	if it := s.project.Item(id); it != nil {
		return s.item(it)
	}
	return nil
}

func (s *session) nextItemID() uint32 {
	var id uint32
	for _, it := range s.project.Items {
		id = max(id, it.ID)
		if it.Comp != nil {
			for _, l := range it.Comp.Layers {
				id = max(id, l.ID)
			}
		}
	}
	return id + 1
}

// addItem adds a new line at the end of the project panel.
func (s *session) addItem(it *aep.Item) *goja.Object {
	it.ID = s.nextItemID()
	s.project.Items = append(s.project.Items, it)
	return s.item(it)
}

func (s *session) defineItems() {
	c := &s.classes
	c.item = s.class("Item", nil, nil)
	c.avItem = s.class("AVItem", c.item, nil)
	c.compItem = s.class("CompItem", c.avItem, nil)
	c.footageItem = s.class("FootageItem", c.avItem, nil)
	c.folderItem = s.class("FolderItem", c.item, nil)
	c.itemCollection = s.class("ItemCollection", nil, nil)
	s.app.rootFolder = c.folderItem.object(&itemRef{item: &aep.Item{Name: "Root", Kind: aep.ItemFolder}, root: true})

	s.defineItem(c.item)
	s.defineAVItem(c.avItem)
	s.defineFolderItem(c.folderItem)
	s.defineItemCollection(c.itemCollection)
}

func (s *session) defineItem(c *class) {
	attr(c, "name", func(r *itemRef) any { return r.item.Name }, func(r *itemRef, v goja.Value) {
		if !r.root {
			r.item.Name = v.String()
		}
	})
	attr(c, "comment", func(r *itemRef) any { return r.item.Comment }, func(r *itemRef, v goja.Value) { r.item.Comment = v.String() })
	attr(c, "label", func(r *itemRef) any { return r.item.Label }, func(r *itemRef, v goja.Value) {
		r.item.Label = min(max(int(s.number(v, "label")), 0), 16)
	})
	attr(c, "selected", func(r *itemRef) any { return false }, func(*itemRef, goja.Value) {})
	get(c, "id", func(r *itemRef) any { return r.item.ID })
	get(c, "dynamicLinkGUID", func(r *itemRef) any { return "" })
	get(c, "typeName", func(r *itemRef) any {
		return map[aep.ItemKind]string{aep.ItemFolder: "Folder", aep.ItemComposition: "Composition", aep.ItemFootage: "Footage"}[r.item.Kind]
	})
	attr(c, "parentFolder", func(r *itemRef) any {
		if r.root {
			return nil
		}
		return s.item(r.item.Parent)
	}, s.setParentFolder)
	method(c, "remove", func(r *itemRef, _ args) any { s.removeItem(r); return undefined() })
	method(c, "toString", func(r *itemRef, _ args) any { return "[object " + s.itemClass(r) + "]" })
}

func (s *session) itemClass(r *itemRef) string {
	switch r.item.Kind {
	case aep.ItemComposition:
		return "CompItem"
	case aep.ItemFootage:
		return "FootageItem"
	}
	return "FolderItem"
}

func (s *session) setParentFolder(r *itemRef, v goja.Value) {
	into, ok := optional[*itemRef](s, v)
	if !ok || into.item.Kind != aep.ItemFolder || r.root {
		s.throw(`After Effects error: Unable to set "parentFolder": it must be a FolderItem`)
	}
	if into.root {
		r.item.Parent = nil
		return
	}
	for f := into.item; f != nil; f = f.Parent {
		if f == r.item {
			s.throw(`After Effects error: Unable to set "parentFolder": a folder can't be inside itself`)
		}
	}
	r.item.Parent = into.item
}

// removeItem takes an item, and what a folder holds, out of the project; layers that used it go too.
func (s *session) removeItem(r *itemRef) {
	if r.root {
		s.throw("After Effects error: the root folder can't be removed")
	}
	gone := map[*aep.Item]bool{r.item: true}
	kept := s.project.Items[:0:0]
	for _, it := range s.project.Items {
		for f := it; f != nil; f = f.Parent {
			if gone[f] {
				gone[it] = true
			}
		}
	}
	ids := map[uint32]bool{}
	for _, it := range s.project.Items {
		if gone[it] {
			ids[it.ID] = true
		} else {
			kept = append(kept, it)
		}
	}
	s.project.Items = kept
	for _, it := range kept {
		if it.Comp == nil {
			continue
		}
		for _, l := range append([]*aep.Layer(nil), it.Comp.Layers...) {
			if l.Source != 0 && ids[l.Source] {
				s.removeLayer(s.ref(it, l))
			}
		}
	}
}

func (s *session) defineAVItem(c *class) {
	get(c, "usedIn", func(r *itemRef) any {
		out := []goja.Value{}
		for _, it := range s.project.Items {
			if it.Comp == nil {
				continue
			}
			for _, l := range it.Comp.Layers {
				if l.Source == r.item.ID && l.Source != 0 {
					out = append(out, s.item(it))
					break
				}
			}
		}
		return out
	})
	attr(c, "width", func(r *itemRef) any { w, _ := size(r.item); return w }, func(r *itemRef, v goja.Value) {
		s.resize(r, "width", v, func(n int) { setSize(r.item, n, -1) })
	})
	attr(c, "height", func(r *itemRef) any { _, h := size(r.item); return h }, func(r *itemRef, v goja.Value) {
		s.resize(r, "height", v, func(n int) { setSize(r.item, -1, n) })
	})
	attr(c, "pixelAspect", func(r *itemRef) any {
		if r.item.Comp != nil {
			return orOne(r.item.Comp.PixelAspect)
		}
		return orOne(r.item.Footage.PixelAspect)
	}, func(r *itemRef, v goja.Value) {
		if r.item.Comp != nil {
			r.item.Comp.PixelAspect = s.between(v, "pixelAspect", 0.01, 100)
		} else {
			r.item.Footage.PixelAspect = s.between(v, "pixelAspect", 0.01, 100)
		}
	})
	attr(c, "duration", func(r *itemRef) any { return duration(r.item) }, s.setDuration)
	attr(c, "frameRate", func(r *itemRef) any { return frameRate(r.item) }, s.setFrameRate)
	attr(c, "frameDuration", func(r *itemRef) any {
		if f := frameRate(r.item); f > 0 {
			return 1 / f
		}
		return 0
	}, func(r *itemRef, v goja.Value) {
		s.setFrameRate(r, s.rt.ToValue(1/s.between(v, "frameDuration", 1.0/999, 1)))
	})
	get(c, "hasVideo", func(r *itemRef) any {
		return r.item.Comp != nil || r.item.Footage.HasVideo || r.item.Footage.Kind == aep.FootageSolid
	})
	get(c, "hasAudio", func(r *itemRef) any { return s.hasAudio(r.item, 0) })
	get(c, "footageMissing", func(r *itemRef) any { return r.item.Footage != nil && missing(r.item.Footage) })
	get(c, "isMediaReplacementCompatible", func(r *itemRef) any { return true })
	attr(c, "time", func(r *itemRef) any { return s.app.times[r.item] }, func(r *itemRef, v goja.Value) {
		if s.app.times == nil {
			s.app.times = map[*aep.Item]float64{}
		}
		s.app.times[r.item] = s.number(v, "time")
	})
	attr(c, "useProxy", func(r *itemRef) any { return false }, func(*itemRef, goja.Value) {})
	get(c, "proxySource", func(r *itemRef) any { return nil })
}

func orOne(f float64) float64 {
	if f == 0 {
		return 1
	}
	return f
}

func missing(f *aep.Footage) bool {
	return f.Kind == aep.FootageFile && f.Missing && f.File.Resolved == ""
}

func size(it *aep.Item) (w, h int) {
	if it.Comp != nil {
		return it.Comp.Width, it.Comp.Height
	}
	if it.Footage != nil {
		return it.Footage.Width, it.Footage.Height
	}
	return 0, 0
}

func setSize(it *aep.Item, w, h int) {
	if it.Comp != nil {
		if w > 0 {
			it.Comp.Width = w
		}
		if h > 0 {
			it.Comp.Height = h
		}
		return
	}
	if w > 0 {
		it.Footage.Width = w
	}
	if h > 0 {
		it.Footage.Height = h
	}
}

func (s *session) resize(r *itemRef, what string, v goja.Value, set func(int)) {
	if r.item.Footage != nil && r.item.Footage.Kind == aep.FootageFile {
		s.throw("After Effects error: Unable to set %q: the size of a file is fixed", what)
	}
	set(int(s.between(v, what, 1, 30000)))
}

func duration(it *aep.Item) float64 {
	if it.Comp != nil {
		return it.Comp.Duration
	}
	if it.Footage != nil && !it.Footage.Still {
		return it.Footage.Duration
	}
	return 0
}

func frameRate(it *aep.Item) float64 {
	if it.Comp != nil {
		return it.Comp.FrameRate
	}
	if it.Footage != nil && !it.Footage.Still {
		return it.Footage.FrameRate
	}
	return 0
}

func (s *session) between(v goja.Value, what string, low, high float64) float64 {
	f := s.number(v, what)
	if f < low || f > high {
		s.throw("After Effects error: Unable to set %q: value %s out of range (%g to %g)", what, short(v.String()), low, high)
	}
	return f
}

// setDuration leaves the layers where they are, as After Effects does. A work area that ended with the composition, or
// beyond its new end, ends with it.
func (s *session) setDuration(r *itemRef, v goja.Value) {
	c := r.item.Comp
	if c == nil {
		s.throw(`After Effects error: Unable to set "duration": the duration of footage is fixed`)
	}
	d := s.between(v, "duration", 0, 10800)
	whole := c.WorkAreaDuration <= 0 || c.WorkAreaStart+c.WorkAreaDuration >= c.Duration-1e-6
	c.Duration = d
	if whole || c.WorkAreaStart+c.WorkAreaDuration > d {
		c.WorkAreaStart = min(c.WorkAreaStart, d)
		c.WorkAreaDuration = d - c.WorkAreaStart
	}
}

func (s *session) setFrameRate(r *itemRef, v goja.Value) {
	rate := s.between(v, "frameRate", 1, 999)
	if r.item.Comp == nil {
		s.throw(`After Effects error: Unable to set "frameRate": set mainSource.conformFrameRate instead`)
	}
	r.item.Comp.FrameRate = rate
	// A time base with a whole number of ticks for the usual rates, 29.97 and its kin included.
	r.item.Comp.TicksPerSecond = uint32(rate*1000 + 0.5)
	r.item.Comp.FrameTicks = 1000
}

func (s *session) hasAudio(it *aep.Item, depth int) bool {
	if it.Footage != nil {
		return it.Footage.HasAudio
	}
	if it.Comp == nil || depth > 32 {
		return false
	}
	for _, l := range it.Comp.Layers {
		if src := s.project.Item(l.Source); src != nil && s.hasAudio(src, depth+1) {
			return true
		}
	}
	return false
}

func (s *session) children(r *itemRef) []*aep.Item {
	var out []*aep.Item
	for _, it := range s.project.Items {
		if r.root && it.Parent == nil || !r.root && it.Parent == r.item {
			out = append(out, it)
		}
	}
	return out
}

func (s *session) defineFolderItem(c *class) {
	get(c, "numItems", func(r *itemRef) any { return len(s.children(r)) })
	get(c, "items", func(r *itemRef) any {
		return s.classes.itemCollection.collection(r, func() int { return len(s.children(r)) },
			func(i int) goja.Value { return s.item(s.children(r)[i-1]) })
	})
	method(c, "item", func(r *itemRef, a args) any {
		list := s.children(r)
		i := a.int(0, 0)
		if i < 1 || i > len(list) {
			s.throw("After Effects error: Unable to call \"item\" because of parameter 1. Value %d out of range 1 to %d", i, len(list))
		}
		return s.item(list[i-1])
	})
}

func (s *session) defineItemCollection(c *class) {
	get(c, "length", func(r *itemRef) any { return s.count(r) })
	parent := func(r *itemRef) *aep.Item {
		if r.root {
			return nil
		}
		return r.item
	}
	method(c, "addFolder", func(r *itemRef, a args) any {
		return s.addItem(&aep.Item{Name: a.str(0), Kind: aep.ItemFolder, Parent: parent(r)})
	})
	method(c, "addComp", func(r *itemRef, a args) any {
		a.need(6)
		rate := s.between(a.at(5), "frameRate", 1, 999)
		d := s.between(a.at(4), "duration", 0, 10800)
		return s.addItem(&aep.Item{Name: a.str(0), Kind: aep.ItemComposition, Parent: parent(r), Comp: &aep.Composition{
			Width: int(s.between(a.at(1), "width", 4, 30000)), Height: int(s.between(a.at(2), "height", 4, 30000)),
			PixelAspect: s.between(a.at(3), "pixelAspect", 0.01, 100), Duration: d, WorkAreaDuration: d,
			FrameRate: rate, TicksPerSecond: uint32(rate*1000 + 0.5), FrameTicks: 1000, ShutterAngle: 180, ShutterPhase: -90,
			Renderer: "ADBE Advanced 3d",
		}})
	})
}

// count is how many items a collection shows: app.project.items lists all, a folder's only its own.
func (s *session) count(r *itemRef) int {
	if r == s.app.all {
		return len(s.project.Items)
	}
	return len(s.children(r))
}
