package render

import (
	"image"
	"sync"

	"overcrank/aep"
	"overcrank/engine/deep"
	"overcrank/engine/profile"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// conversions are what makes of the colours of footage those of the project, by item, and stills that were converted.
type conversions struct {
	mu    sync.Mutex
	known map[uint32]func(c [4]float64) [4]float64
	kept  map[*raster.Image]*deep.Image
	room  holding
}

// of is what makes of the colours of an item those of the project; nil where they are the same.
func (c *conversions) of(w *worker, it *aep.Item) func(c [4]float64) [4]float64 {
	working := w.r.tones.Working
	if working == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if of, ok := c.known[it.ID]; ok {
		return of
	}
	if c.known == nil {
		c.known = make(map[uint32]func(c [4]float64) [4]float64)
	}
	of := conversion(footageProfile(it, working), working)
	c.known[it.ID] = of
	return of
}

// footageProfile is what the colours of an item mean: what the project assigns, what its file says, or else those of video. A film whose
// primaries the project has is left as it is: what its curve is for is decided by whoever shows it.
func footageProfile(it *aep.Item, working *profile.Profile) *profile.Profile {
	if p, _ := scene.FootageProfile(it); p != nil { // an error is noted by the scene
		return p
	}
	video := profile.Video()
	if !it.Footage.Still && working.SamePrimaries(video) {
		return working
	}
	return video
}

// conversion makes of colours of one profile those of another; nil where they are the same.
func conversion(from, to *profile.Profile) func(c [4]float64) [4]float64 {
	if from.Same(to) {
		return nil
	}
	light, value, primaries := profile.Lookup(from.Curve.Light), profile.Lookup(to.Curve.Value), from.To(to)
	return func(c [4]float64) [4]float64 {
		v := primaries([3]float64{light(c[0]), light(c[1]), light(c[2])})
		return [4]float64{value(v[0]), value(v[1]), value(v[2]), c[3]}
	}
}

// deepened is a picture of an item in the colours of layers. Those of stills are kept; the others are given back by release.
func (w *worker) deepened(it *aep.Item, img *raster.Image, still bool) (out *deep.Image, release func()) {
	c := &w.r.conversions
	if still {
		c.mu.Lock()
		kept := c.kept[img]
		c.mu.Unlock()
		if kept != nil {
			return kept, func() {}
		}
	}
	out = w.r.deepSurfaces.get(img.Rect)
	deep.FromBytes(out, img)
	if of := c.of(w, it); of != nil {
		deep.Recolor(out, of)
	}
	w.r.tones.toLayer(out)
	if !still {
		return out, func() { w.r.deepSurfaces.put(out) }
	}
	c.keep(img, out)
	return out, func() {}
}

// keep keeps a converted still. What was kept is given up when there is no more room: others may still be reading it, so it is left to the
// garbage collector.
func (c *conversions) keep(of *raster.Image, img *deep.Image) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := 4 * len(img.Pix)
	if !c.room.take(size) {
		c.drop()
		if !c.room.take(size) {
			return
		}
	}
	if c.kept == nil {
		c.kept = make(map[*raster.Image]*deep.Image)
	}
	if old := c.kept[of]; old != nil { // another worker converted it too
		c.room.give(4 * len(old.Pix))
	}
	c.kept[of] = img
}

// drop gives up the stills that are kept. The conversions are locked.
func (c *conversions) drop() {
	c.room.giveAll()
	c.kept = nil
}

// close gives up all stills that are kept.
func (c *conversions) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
}

// managed tells whether anything that a scene shows has other colours than its project.
func managed(s *scene.Scene) bool {
	working := s.Color.Working
	if working == nil {
		return false
	}
	if !working.SamePrimaries(profile.Video()) {
		return true
	}
	for _, c := range s.Comps() {
		for _, l := range c.All {
			if l.Source != nil && l.Source.Footage != nil && l.Source.Footage.Kind == aep.FootageFile && l.Source.Footage.HasVideo &&
				!footageProfile(l.Source, working).Same(working) {
				return true
			}
		}
	}
	return false
}

// deepFootage draws a picture of footage, mapped by the drawing that prepared it.
func (w *worker) deepFootage(it *aep.Item, at []instant, read func(t float64) (*raster.Image, func(), error), over func(src *deep.Image)) error {
	img, release, err := w.mixed(at, image.Rectangle{}, read)
	if err != nil {
		return err
	}
	defer release()
	src, done := w.deepened(it, img, it.Footage.Still && len(at) == 1)
	defer done()
	over(src)
	return nil
}
