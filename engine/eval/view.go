package eval

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// View is how the space of a composition is seen.
type View struct {
	geom.Lens
	At   geom.Vec   // where the viewer is
	From geom.Space // maps the composition's space to the viewer's
	// Aperture is the width of the lens's opening, in pixels, times the camera's blur level; 0 when all is sharp.
	Aperture float64
	Focus    float64 // the distance at which all is sharp, in pixels
}

// Confusion is the width of the circle, in pixels of the composition, as which a point at a distance before the viewer is seen: by similar triangles
// behind a thin lens that is focused on another distance (Potmesil and Chakravarty, A Lens and Aperture Camera Model for Synthetic Image Generation,
// 1981), with the image at the distance Zoom, as After Effects describes its cameras.
func (v *View) Confusion(distance float64) float64 {
	if !(v.Aperture > 0) || !(v.Focus > 0) || !(distance > 0) {
		return 0
	}
	return v.Aperture * v.Zoom / v.Focus * math.Abs(distance-v.Focus) / distance
}

// See is how the plane of a layer is seen, in pixels of the composition.
func (v *View) See(layer geom.Space) geom.Homography { return v.Lens.See(v.From.Mul(layer)) }

// Distance is how far a position lies before the viewer, along the direction in which it looks.
func (v *View) Distance(p geom.Vec) float64 { return v.From.Apply(p).Z }

// Camera is a camera, its properties found.
type Camera struct {
	layer     *aep.Layer
	transform *Transform
	zoom      Number // pixels

	unsharp                Number // whether it has depth of field
	focus, aperture, level Number // pixels, pixels, per cent
}

// DefaultZoom is that of a new camera, in pixels: a lens of 50 mm before a film of 36 mm.
func DefaultZoom(c *aep.Composition) float64 { return float64(c.Width) * 50 / 36 }

// CamerasOf finds the cameras of a composition that are on, from the top; they must not change any more.
func CamerasOf(p *aep.Project, comp *aep.Item) []Camera {
	var out []Camera
	for _, l := range comp.Comp.Layers {
		if l.Kind != aep.LayerCamera || !l.Enabled {
			continue
		}
		number := func(match string, def float64) Number {
			return NumberOf(Ref{comp, l, l.Props.Find("ADBE Camera Options Group", match)}, def)
		}
		out = append(out, Camera{
			layer: l, transform: TransformOf(p, comp, l), zoom: number("ADBE Camera Zoom", DefaultZoom(comp.Comp)),
			unsharp: number("ADBE Camera Depth of Field", 0), focus: number("ADBE Camera Focus Distance", DefaultZoom(comp.Comp)),
			aperture: number("ADBE Camera Aperture", defaultAperture), level: number("ADBE Camera Blur Level", 100),
		})
	}
	return out
}

// defaultAperture is that of a new camera, in pixels: 50 mm at f/5.6.
const defaultAperture = 25.3

// cutSlack makes a time that rounding put just before a cut count as after it.
const cutSlack = 1e-6

// Moves tells whether what the camera shows may change while nothing else does.
func (c *Camera) Moves() bool { return c.transform.Moves() || c.zoom.Varies() }

// ViewOf is how a composition is seen at composition time at: by the first of its cameras that is there, or else by one as After Effects makes
// new ones.
func ViewOf(e *Evaluator, c *aep.Composition, cameras []Camera, at float64) View {
	return ViewDuring(e, c, cameras, at, at)
}

// ViewDuring is how the camera of composition time frame sees a composition at composition time at.
func ViewDuring(e *Evaluator, c *aep.Composition, cameras []Camera, frame, at float64) View {
	lens := geom.Lens{Zoom: DefaultZoom(c), Center: geom.Point{X: float64(c.Width) / 2, Y: float64(c.Height) / 2}}
	for i := range cameras {
		camera := &cameras[i]
		if frame+cutSlack < camera.layer.In || frame+cutSlack >= camera.layer.Out {
			continue
		}
		place := camera.transform.Camera(e, at, camera.layer.FacesCamera)
		zoom := camera.zoom.At(e, at)
		if from, ok := place.Invert(); ok && zoom > 0 {
			lens.Zoom = zoom
			view := View{Lens: lens, At: place.Move, From: from}
			if camera.unsharp.At(e, at) != 0 {
				view.Focus, view.Aperture = camera.focus.At(e, at), camera.aperture.At(e, at)*camera.level.At(e, at)/100
			}
			return view
		}
	}
	viewer := geom.Vec{X: lens.Center.X, Y: lens.Center.Y, Z: -lens.Zoom}
	return View{Lens: lens, At: viewer, From: geom.MoveBy(geom.Vec{}.Sub(viewer))}
}

// View is the ViewOf a composition. Between two frames the project does not change, so that cameras are kept from the first BeginFrame on.
func (e *Evaluator) View(comp *aep.Item, at float64) View {
	cameras, known := e.cameras[comp]
	if !known {
		cameras = CamerasOf(e.Project, comp)
		if e.memo != nil {
			if e.cameras == nil {
				e.cameras = make(map[*aep.Item][]Camera)
			}
			e.cameras[comp] = cameras
		}
	}
	return ViewOf(e, comp.Comp, cameras, at)
}

// LayerSpace is the Transform's Space of a layer, or that of a camera or light.
func (e *Evaluator) LayerSpace(comp *aep.Item, l *aep.Layer, at float64) geom.Space {
	t := e.transform(comp, l)
	if l.Kind == aep.LayerCamera || l.Kind == aep.LayerLight {
		return t.Camera(e, at, l.FacesCamera)
	}
	if l.ThreeD && l.FacesCamera {
		view := e.View(comp, at)
		return t.Facing(e, at, view.At)
	}
	return t.Space(e, at)
}
