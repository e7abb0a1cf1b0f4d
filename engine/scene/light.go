package scene

import (
	"overcrank/aep"
	"overcrank/engine/eval"
)

// The kinds of lights, as files number them.
const (
	ParallelLight = iota
	SpotLight
	PointLight
	AmbientLight
	EnvironmentLight
)

// Lamp is a light of a composition, its properties found.
type Lamp struct {
	*Layer
	Intensity, Cone, Feather           eval.Number // per cent, degrees, per cent
	Falloff, Radius, Distance, Shadows eval.Number // a popup, pixels, pixels, a switch
	Darkness, Diffusion                eval.Number // of its shadows: per cent, pixels
	Color                              eval.Vector
}

// Only is the value of Material.Casts and Material.AcceptsShadows of a layer of which nothing is seen but the shadows that it casts, or those that
// fall on it. 0 is off, all else on.
const Only = 2

// Material is how the surface of a 3D layer takes light. All but the switches and the shininess are per cent.
type Material struct {
	Accepts, Casts, AcceptsShadows                             eval.Number
	Ambient, Diffuse, Specular, Shininess, Metal, Transmission eval.Number
}

// lamps finds the lights of a composition that are on.
func (c *Comp) lamps() (out []Lamp) {
	for _, l := range c.All {
		if l.Kind != Light || !l.Enabled || l.LightKind >= EnvironmentLight {
			continue
		}
		group := l.Props.Child("ADBE Light Options Group")
		number := func(match string, def float64) eval.Number { return eval.NumberOf(l.At(group.Child(match)), def) }
		out = append(out, Lamp{
			Layer: l, Intensity: number("ADBE Light Intensity", 100), Cone: number("ADBE Light Cone Angle", 90), Feather: number("ADBE Light Cone Feather 2", 50),
			Falloff: number("ADBE Light Falloff Type", 1), Radius: number("ADBE Light Falloff Start", 500), Distance: number("ADBE Light Falloff Distance", 500),
			Shadows: number("ADBE Casts Shadows", 0), Darkness: number("ADBE Light Shadow Darkness", 100), Diffusion: number("ADBE Light Shadow Diffusion", 0),
			Color: eval.VectorOf(l.At(group.Child("ADBE Light Color")), [4]float64{1, 1, 1, 1}),
		})
	}
	return out
}

// material is that of a 3D layer; nil for others.
func (l *Layer) material() *Material {
	if !l.ThreeD || l.Kind == Camera || l.Kind == Light || l.Layer.Kind == aep.LayerModel {
		return nil
	}
	group := l.Props.Child("ADBE Material Options Group")
	number := func(match string, def float64) eval.Number { return eval.NumberOf(l.At(group.Child(match)), def) }
	return &Material{
		Accepts: number("ADBE Accepts Lights", 1), Casts: number("ADBE Casts Shadows", 0), AcceptsShadows: number("ADBE Accepts Shadows", 1),
		Ambient: number("ADBE Ambient Coefficient", 100), Diffuse: number("ADBE Diffuse Coefficient", 50),
		Specular: number("ADBE Specular Coefficient", 50), Shininess: number("ADBE Shininess Coefficient", 5),
		Metal: number("ADBE Metal Coefficient", 100), Transmission: number("ADBE Light Transmission", 0),
	}
}

// light tells what of a light is not drawn.
func (l *Layer) light() {
	if !l.Comp.deep() {
		return
	}
	if l.LightKind >= EnvironmentLight {
		l.lack("a light of the environment", Lights)
		return
	}
	for i := range l.Comp.Lamps {
		lamp := &l.Comp.Lamps[i]
		if lamp.Layer != l {
			continue
		}
		if l.LightKind == AmbientLight || !may(lamp.Shadows) {
			continue
		}
		if may(lamp.Diffusion) && l.LightKind != ParallelLight {
			l.detail("After Effects' own softness of the shadows of a light", Lights)
		}
		if l.LightKind == SpotLight {
			l.detail("After Effects' own edge of the cone of a light", Lights)
		}
	}
	if l.LightKind != AmbientLight {
		l.detail("After Effects' own size of the highlights of a light", Lights)
	}
}

// may tells whether a number is other than 0 at any time.
func may(n eval.Number) bool { return n.Varies() || n.First() != 0 }

// shadows tells what of the shadows of a 3D layer is not drawn.
func (l *Layer) shadows() {
	if l.Material == nil || !may(l.Material.Casts) || l.Adjustment {
		return
	}
	for i := range l.Comp.Lamps {
		if lamp := &l.Comp.Lamps[i]; lamp.LightKind == AmbientLight || !may(lamp.Shadows) {
			continue
		}
		if l.Matte != aep.MatteNone {
			l.detail("the track matte of a layer in its shadow", DeepLayers)
		}
		if l.Styles != nil {
			l.detail("the layer styles of a layer in its shadow", DeepLayers)
		}
		return
	}
}
