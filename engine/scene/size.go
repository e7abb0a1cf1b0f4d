package scene

import (
	"math"

	"overcrank/aep"
)

// Largest is how large a file is seen at most at any time, in pixels of the composition for one of its own, with all layers that show it: infinite
// where that is not known, as in space, or where an expression decides on it. It is the same whichever part of the composition is rendered.
func (s *Scene) Largest(it *aep.Item) float64 {
	for _, known := range s.sizes {
		if known.item == it.ID {
			return known.most
		}
	}
	return math.Inf(1)
}

// sized is how large the file of an item is seen at most.
type sized struct {
	item uint32
	most float64
}

// measure finds how large files are seen.
func (s *Scene) measure() {
	s.Root.seen = 1
	for i := len(s.comps) - 1; i >= 0; i-- { // those that show others come first
		c := s.comps[i]
		for _, l := range c.used {
			s.see(l, l.largest(c.seen))
		}
		for _, l := range c.read {
			s.see(l, math.Inf(1))
		}
	}
}

// see notes that what a layer shows is seen as large as this.
func (s *Scene) see(l *Layer, size float64) {
	switch {
	case l.Inner != nil && l.Collapse:
		l.Inner.seen = max(l.Inner.seen, size)
	case l.Inner != nil:
		// It is drawn on a surface of its own, at full size or at a half, a quarter …
		l.Inner.seen = max(l.Inner.seen, min(1, Doubled(size)))
	case l.Kind == Footage && l.Source != nil && !l.Source.Footage.Still:
		for i := range s.sizes {
			if known := &s.sizes[i]; known.item == l.Source.ID {
				known.most = max(known.most, size)
				return
			}
		}
		s.sizes = append(s.sizes, sized{l.Source.ID, size})
	}
}

// largest is how large a layer is seen at most in a composition that is seen so large.
func (l *Layer) largest(comp float64) float64 {
	size := comp * l.Transform.Magnifies()
	if l.ThreeD || l.Joins || math.IsNaN(size) { // of a layer without a size, in a composition without a limit
		return math.Inf(1)
	}
	return size
}

// Doubled is the smallest power of two that is not less than a size of at most 1, but for what rounding may have added to that. A larger size stays.
func Doubled(size float64) float64 {
	if !(size <= 1) {
		return size
	}
	out := 1.0
	for out > smallest && size <= out/2*(1+rounding) {
		out /= 2
	}
	return out
}

const (
	// smallest is less than the size of a pixel in any picture.
	smallest = 1.0 / (1 << 20)
	// rounding is more than what the product of many factors gains by rounding, and less than what drawing overlooks.
	rounding = 1e-10
)
