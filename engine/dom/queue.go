package dom

import (
	"slices"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// queueItem is an item of the render queue. Scripts may read and fill the queue, but the farm decides what is rendered.
type queueItem struct {
	comp            *aep.Item
	object          *goja.Object
	module          *goja.Object
	start, duration float64
	skip            int
	render          bool
	comment         string
	file            goja.Value
}

func (s *session) defineQueue() {
	c := &s.classes
	c.queue = s.class("RenderQueue", nil, nil)
	c.queueItems = s.class("RQItemCollection", nil, nil)
	c.queueItem = s.class("RenderQueueItem", nil, nil)
	c.outputModule = s.class("OutputModule", nil, nil)
	st := s.app
	items := c.queueItems.collection(st, func() int { return len(st.queued) }, func(i int) goja.Value { return st.queued[i-1].object })
	st.queue = c.queue.object(st)
	get(c.queue, "items", func(*appState) any { return items })
	get(c.queue, "numItems", func(st *appState) any { return len(st.queued) })
	get(c.queue, "rendering", func(*appState) any { return false })
	get(c.queue, "canQueueInAME", func(*appState) any { return false })
	method(c.queue, "item", func(st *appState, a args) any {
		i := a.int(0, 0)
		if i < 1 || i > len(st.queued) {
			s.throw("After Effects error: the render queue has no item %d", i)
		}
		return st.queued[i-1].object
	})
	for _, name := range []string{"render", "queueInAME"} {
		method(c.queue, name, func(*appState, args) any {
			s.throw("renderQueue.%s is not available to the scripts of a job: the farm renders when the script is done", name)
			return nil
		})
	}
	for _, name := range []string{"pauseRendering", "stopRendering", "showWindow"} {
		method(c.queue, name, func(*appState, args) any { return undefined() })
	}
	get(c.queueItems, "length", func(st *appState) any { return len(st.queued) })
	method(c.queueItems, "add", func(st *appState, a args) any { return s.enqueue(a) })
	s.defineQueueItem(c.queueItem)
	s.defineOutputModule(c.outputModule)
}

func (s *session) enqueue(a args) any {
	r, ok := optional[*itemRef](s, a.at(0))
	if !ok || r.item.Comp == nil {
		s.throw(`After Effects error: Unable to call "add": the render queue takes compositions`)
	}
	q := &queueItem{comp: r.item, start: r.item.Comp.WorkAreaStart, duration: r.item.Comp.WorkAreaDuration, render: true, file: goja.Null()}
	q.object = s.classes.queueItem.object(q)
	q.module = s.classes.outputModule.object(q)
	s.app.queued = append(s.app.queued, q)
	return q.object
}

func (s *session) defineQueueItem(c *class) {
	get(c, "comp", func(q *queueItem) any { return s.item(q.comp) })
	get(c, "numOutputModules", func(*queueItem) any { return 1 })
	get(c, "status", func(*queueItem) any { return 3015 })
	get(c, "templates", func(*queueItem) any { return []string{"Best Settings", "Draft Settings"} })
	attr(c, "timeSpanStart", func(q *queueItem) any { return q.start }, func(q *queueItem, v goja.Value) { q.start = s.number(v, "timeSpanStart") })
	attr(c, "timeSpanDuration", func(q *queueItem) any { return q.duration }, func(q *queueItem, v goja.Value) { q.duration = s.number(v, "timeSpanDuration") })
	attr(c, "skipFrames", func(q *queueItem) any { return q.skip }, func(q *queueItem, v goja.Value) { q.skip = int(s.number(v, "skipFrames")) })
	attr(c, "render", func(q *queueItem) any { return q.render }, func(q *queueItem, v goja.Value) { q.render = v.ToBoolean() })
	attr(c, "comment", func(q *queueItem) any { return q.comment }, func(q *queueItem, v goja.Value) { q.comment = v.String() })
	attr(c, "logType", func(*queueItem) any { return 3212 }, func(*queueItem, goja.Value) {})
	attr(c, "queueItemNotify", func(*queueItem) any { return false }, func(*queueItem, goja.Value) {})
	get(c, "outputModules", func(q *queueItem) any { return []goja.Value{q.module} })
	method(c, "outputModule", func(q *queueItem, _ args) any { return q.module })
	for _, name := range []string{"applyTemplate", "saveAsTemplate", "setSetting", "setSettings"} {
		method(c, name, func(*queueItem, args) any { return undefined() })
	}
	for _, name := range []string{"getSettings", "getSetting"} {
		method(c, name, func(*queueItem, args) any { return s.rt.NewObject() })
	}
	method(c, "remove", func(q *queueItem, _ args) any {
		s.app.queued = slices.DeleteFunc(s.app.queued, func(o *queueItem) bool { return o == q })
		return undefined()
	})
}

func (s *session) defineOutputModule(c *class) {
	attr(c, "file", func(q *queueItem) any { return q.file }, func(q *queueItem, v goja.Value) { q.file = v })
	get(c, "name", func(*queueItem) any { return "Lossless" })
	get(c, "templates", func(*queueItem) any { return []string{"Lossless"} })
	for _, name := range []string{"applyTemplate", "saveAsTemplate", "setSetting", "setSettings", "remove"} {
		method(c, name, func(*queueItem, args) any { return undefined() })
	}
	for _, name := range []string{"getSettings", "getSetting"} {
		method(c, name, func(*queueItem, args) any { return s.rt.NewObject() })
	}
}
