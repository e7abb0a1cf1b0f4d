package dom

import (
	"github.com/dop251/goja"

	"overcrank/aep"
)

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
	get(c, "hasAudio", func(r *itemRef) any { return s.hasAudio(r.item) })
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

// setDuration leaves the layers unchanged, as After Effects does. A work area that ended with the composition, or beyond
// its new end, ends with it.
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
	// A time base with a whole number of ticks per frame for the usual rates, 29.97 and the like included.
	r.item.Comp.TicksPerSecond = uint32(rate*1000 + 0.5)
	r.item.Comp.FrameTicks = 1000
}

// hasAudio tells whether an item has sound, at any depth.
func (s *session) hasAudio(it *aep.Item) bool {
	return s.shows(it, func(inner *aep.Item) bool { return inner.Footage != nil && inner.Footage.HasAudio }, map[*aep.Item]bool{})
}

// shows tells whether an item is wanted, or is a composition that shows a wanted one. seen are the items that were
// already checked.
func (s *session) shows(it *aep.Item, wanted func(*aep.Item) bool, seen map[*aep.Item]bool) bool {
	if wanted(it) {
		return true
	}
	if it.Comp == nil || seen[it] {
		return false
	}
	seen[it] = true
	for _, l := range it.Comp.Layers {
		if src := s.project.Item(l.Source); src != nil && s.shows(src, wanted, seen) {
			return true
		}
	}
	return false
}
