package render

import (
	"crypto/sha256"
	"time"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// lower draws the layers of a frame below the lowest that other renders are likely to have otherwise, by taking their picture from one of these where it is
// kept, and returns how many of shown it has drawn. first are drawn already. Of 300 cards that differ in a word before the same moving picture, that picture
// is drawn twice.
func (w *worker) lower(dst *raster.Image, s stage, shown []shownLayer, first int) (int, error) {
	count, at, known := w.lowerLayers(s, shown)
	if !known || count <= first {
		return first, nil
	}
	own := w.r.surfaces.get(dst.Rect)
	defer w.r.surfaces.put(own)
	if w.r.opt.Kept.Read(at, own.Pix, 0) {
		own.Pix, dst.Pix = dst.Pix, own.Pix
		return count, nil
	}
	began := time.Now() // only whether it is kept depends on it
	for i := range shown[first:count] {
		if err := w.layer(dst, &shown[first+i]); err != nil {
			return 0, err
		}
	}
	if !w.r.marred.Load() {
		w.r.opt.Kept.Lower(at, dst.Pix, time.Since(began))
	}
	return count, nil
}

// lowerLayers are how many of the layers of a frame that are shown lie below the lowest that varies from render to render, and the address of
// their picture. known is false where it has none, where there are too few to be worth keeping, or where layers above have a part in it.
func (w *worker) lowerLayers(s stage, shown []shownLayer) (count int, at [sha256.Size]byte, known bool) {
	r := w.r
	if r.origins == nil || r.opt.Varies == nil || s.outer != nil || s.late != 0 || r.marred.Load() {
		return 0, at, false
	}
	for i := range shown {
		l := &shown[i]
		if l.among != nil || l.spatial() || l.comp != s.comp {
			return 0, at, false // layers in space are in an order of their own, and shine on each other
		}
		if count = i; w.varies(l) {
			break
		}
	}
	if count < 2 || !w.varies(&shown[count]) {
		return 0, at, false
	}
	l := looking{w: w, sum: sha256.New(), origins: r.origins}
	_, _ = l.sum.Write(r.origins.base[:]) // a hash returns no error
	l.stageBelow(s, shown[count].layer)
	_, _ = l.sum.Write([]byte("lower"))
	l.sum.Sum(at[:0])
	return count, at, !l.unknown
}

// varies tells whether a layer is likely to be another one in other renders, or what it is seen through.
func (w *worker) varies(l *shownLayer) bool {
	for layer := l.layer; layer != nil; layer = layer.Matted {
		if w.r.opt.Varies(layer.Layer) {
			return true
		}
	}
	return false
}

// Varies is a function for Options that tells it of these layers, by their ids.
func Varies(layers map[uint32]bool) func(*aep.Layer) bool {
	if len(layers) == 0 {
		return nil
	}
	return func(l *aep.Layer) bool { return layers[l.ID] }
}
