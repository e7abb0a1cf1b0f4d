package dom

import (
	"github.com/dop251/goja"

	"overcrank/aep"
)

// itemRef represents an item of the project panel, or the root folder, which the project does not list.
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

// itemOrNull is the item with an id, and null for id 0.
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

// addItem adds an item at the end of the project panel.
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

// removeItem removes an item, and for a folder what is in it, from the project, with the layers that use it.
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
			ShutterSamples: aep.ShutterSamples, ShutterLimit: aep.ShutterLimit,
			Renderer: "ADBE Advanced 3d",
		}})
	})
}

// count is the number of items in a collection: app.project.items has all, a folder's only its own.
func (s *session) count(r *itemRef) int {
	if r == s.app.all {
		return len(s.project.Items)
	}
	return len(s.children(r))
}
