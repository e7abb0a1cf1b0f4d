package scene

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// View is how a composition's space is seen.
type View struct {
	geom.Lens
	At   geom.Vec   // where the viewer is
	From geom.Space // maps the composition's space to the viewer's
}

// See is how the plane of a layer is seen, in pixels of the composition.
func (v *View) See(layer geom.Space) geom.Homography { return v.Lens.See(v.From.Mul(layer)) }

// Distance is how far a position lies before the viewer, along the direction in which it looks.
func (v *View) Distance(p geom.Vec) float64 { return v.From.Apply(p).Z }

// View is how c is seen at composition time t: by its topmost camera that is on, or else by a camera as After Effects makes new ones.
func (c *Comp) View(e *eval.Evaluator, t float64) View {
	center := geom.Point{X: float64(c.Width) / 2, Y: float64(c.Height) / 2}
	for _, l := range c.cameras {
		if t < l.In || t >= l.Out {
			continue
		}
		space := l.Transform.Camera(e, t, l.FacesCamera)
		zoom := l.Zoom.At(e, t)
		if from, ok := space.Invert(); ok && zoom > 0 {
			return View{Lens: geom.Lens{Zoom: zoom, Center: center}, At: space.Move, From: from}
		}
	}
	zoom := defaultZoom(c.Composition)
	at := geom.Vec{X: center.X, Y: center.Y, Z: -zoom}
	return View{Lens: geom.Lens{Zoom: zoom, Center: center}, At: at, From: geom.MoveBy(geom.Vec{X: -at.X, Y: -at.Y, Z: -at.Z})}
}
