package dom

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

func (s *session) defineComp() {
	s.classes.layerCollection = s.class("LayerCollection", nil, nil)
	s.defineLayerCollection(s.classes.layerCollection)
	c := s.classes.compItem
	get(c, "numLayers", func(r *itemRef) any { return len(r.item.Comp.Layers) })
	get(c, "layers", func(r *itemRef) any {
		comp := r.item.Comp
		return s.classes.layerCollection.collection(r, func() int { return len(comp.Layers) },
			func(i int) goja.Value { return s.layer(r.item, comp.Layers[i-1]) })
	})
	method(c, "layer", func(r *itemRef, a args) any { return s.findLayer(r, a) })
	attr(c, "bgColor", func(r *itemRef) any { return r.item.Comp.Background[:] }, func(r *itemRef, v goja.Value) {
		r.item.Comp.Background = s.rgb(v, "bgColor")
	})
	attr(c, "workAreaStart", func(r *itemRef) any { return r.item.Comp.WorkAreaStart }, func(r *itemRef, v goja.Value) {
		comp := r.item.Comp
		t := s.between(v, "workAreaStart", 0, comp.Duration)
		end := comp.WorkAreaStart + comp.WorkAreaDuration
		comp.WorkAreaStart = t
		comp.WorkAreaDuration = min(max(end-t, 1/max(comp.FrameRate, 1)), comp.Duration-t)
	})
	attr(c, "workAreaDuration", func(r *itemRef) any { return r.item.Comp.WorkAreaDuration }, func(r *itemRef, v goja.Value) {
		comp := r.item.Comp
		comp.WorkAreaDuration = min(s.between(v, "workAreaDuration", 0, 10800), comp.Duration-comp.WorkAreaStart)
	})
	attr(c, "displayStartTime", func(r *itemRef) any { return r.item.Comp.DisplayStart }, func(r *itemRef, v goja.Value) {
		r.item.Comp.DisplayStart = s.number(v, "displayStartTime")
	})
	attr(c, "displayStartFrame", func(r *itemRef) any { return int(r.item.Comp.DisplayStart*r.item.Comp.FrameRate + 0.5) }, func(r *itemRef, v goja.Value) {
		r.item.Comp.DisplayStart = s.number(v, "displayStartFrame") / max(r.item.Comp.FrameRate, 1)
	})
	s.defineShutter(c)
	attr(c, "dropFrame", func(r *itemRef) any { return r.item.Comp.DropFrame }, func(r *itemRef, v goja.Value) { r.item.Comp.DropFrame = v.ToBoolean() })
	get(c, "renderer", func(r *itemRef) any { return r.item.Comp.Renderer })
	get(c, "activeCamera", func(r *itemRef) any { return s.activeCamera(r) })
	get(c, "markerProperty", func(r *itemRef) any { return s.compMarkers(r) })
	get(c, "selectedLayers", func(*itemRef) any { return []goja.Value{} })
	get(c, "selectedProperties", func(*itemRef) any { return []goja.Value{} })
	get(c, "motionGraphicsTemplateName", func(r *itemRef) any { return r.item.Name })
	get(c, "motionGraphicsTemplateControllerCount", func(r *itemRef) any { return len(r.item.Comp.Controllers) })
	method(c, "getMotionGraphicsTemplateControllerName", func(r *itemRef, a args) any {
		i := a.int(0, 0)
		if i < 1 || i > len(r.item.Comp.Controllers) {
			s.throw("After Effects error: there is no controller %d", i)
		}
		return r.item.Comp.Controllers[i-1].Name
	})
	for name, value := range map[string]any{"hideShyLayers": false, "draft3d": false, "preserveNestedResolution": false, "resolutionFactor": []int{1, 1}} {
		attr(c, name, func(*itemRef) any { return value }, func(*itemRef, goja.Value) {})
	}
	attr(c, "preserveNestedFrameRate", func(r *itemRef) any { return r.item.Comp.KeepsFrameRate }, func(r *itemRef, v goja.Value) { r.item.Comp.KeepsFrameRate = v.ToBoolean() })
	method(c, "openInViewer", func(*itemRef, args) any { return nil })
	method(c, "openInEssentialGraphics", func(*itemRef, args) any { return undefined() })
	method(c, "duplicate", func(r *itemRef, _ args) any { return s.duplicateComp(r) })
}

// defineShutter defines what a composition says of motion blur.
func (s *session) defineShutter(c *class) {
	attr(c, "motionBlur", func(r *itemRef) any { return r.item.Comp.MotionBlur }, func(r *itemRef, v goja.Value) { r.item.Comp.MotionBlur = v.ToBoolean() })
	attr(c, "frameBlending", func(r *itemRef) any { return r.item.Comp.FrameBlending }, func(r *itemRef, v goja.Value) { r.item.Comp.FrameBlending = v.ToBoolean() })
	attr(c, "shutterAngle", func(r *itemRef) any { return r.item.Comp.ShutterAngle }, func(r *itemRef, v goja.Value) {
		r.item.Comp.ShutterAngle = s.between(v, "shutterAngle", 0, 720)
	})
	attr(c, "shutterPhase", func(r *itemRef) any { return r.item.Comp.ShutterPhase }, func(r *itemRef, v goja.Value) {
		r.item.Comp.ShutterPhase = s.between(v, "shutterPhase", -360, 360)
	})
	attr(c, "motionBlurSamplesPerFrame", func(r *itemRef) any {
		return cmp.Or(r.item.Comp.ShutterSamples, aep.ShutterSamples)
	}, func(r *itemRef, v goja.Value) {
		r.item.Comp.ShutterSamples = int(s.between(v, "motionBlurSamplesPerFrame", 2, 64))
	})
	attr(c, "motionBlurAdaptiveSampleLimit", func(r *itemRef) any {
		return cmp.Or(r.item.Comp.ShutterLimit, aep.ShutterLimit)
	}, func(r *itemRef, v goja.Value) {
		r.item.Comp.ShutterLimit = int(s.between(v, "motionBlurAdaptiveSampleLimit", 16, 256))
	})
}

func (s *session) findLayer(r *itemRef, a args) any {
	layers := r.item.Comp.Layers
	if name, ok := a.at(0).Export().(string); ok {
		for _, l := range layers {
			if s.project.DisplayName(l) == name {
				return s.layer(r.item, l)
			}
		}
		for _, l := range layers {
			if strings.EqualFold(s.project.DisplayName(l), name) {
				return s.layer(r.item, l)
			}
		}
		return nil
	}
	if other, ok := optional[*layerRef](s, a.at(0)); ok {
		i := slices.Index(layers, other.l) + 1 + a.int(1, 0)
		if i < 1 || i > len(layers) {
			return nil
		}
		return s.layer(r.item, layers[i-1])
	}
	i := a.int(0, 0)
	if i < 1 || i > len(layers) {
		s.throw("After Effects error: Unable to call \"layer\" because of parameter 1. Value %d out of range 1 to %d", i, len(layers))
	}
	return s.layer(r.item, layers[i-1])
}

func (s *session) activeCamera(r *itemRef) any {
	for _, l := range r.item.Comp.Layers {
		if l.Kind == aep.LayerCamera && l.Enabled {
			return s.layer(r.item, l)
		}
	}
	return nil
}

// duplicateComp copies a composition; the copy comes right after it.
func (s *session) duplicateComp(r *itemRef) any {
	return s.item(s.copyComp(r.item, s.freeName(r.item.Name)))
}

// copyComp inserts a copy after a composition. The Essential Graphics panel of the copy drives the copy's own layers.
func (s *session) copyComp(of *aep.Item, name string) *aep.Item {
	return s.project.CopyComposition(of, name)
}

// freeName numbers a name as After Effects does for copies: "title", "title 2", "title 3".
func (s *session) freeName(name string) string {
	stem := strings.TrimRight(name, "0123456789")
	if stem == name || !strings.HasSuffix(stem, " ") {
		stem = name + " "
	}
	for n := 2; ; n++ {
		try := stem + itoa(n)
		if !slices.ContainsFunc(s.project.Items, func(it *aep.Item) bool { return it.Name == try }) {
			return try
		}
	}
}
