package dom

import (
	"github.com/dop251/goja"

	"overcrank/aep"
)

func (s *session) defineAVLayer(c *class) {
	for _, f := range []flag{
		{"audioEnabled", func(l *aep.Layer) *bool { return &l.AudioEnabled }},
		{"effectsActive", func(l *aep.Layer) *bool { return &l.EffectsEnabled }},
		{"adjustmentLayer", func(l *aep.Layer) *bool { return &l.Adjustment }},
		{"guideLayer", func(l *aep.Layer) *bool { return &l.Guide }},
		{"threeDLayer", func(l *aep.Layer) *bool { return &l.ThreeD }},
		{"threeDPerChar", func(l *aep.Layer) *bool { return &l.CharactersInSpace }},
		{"collapseTransformation", func(l *aep.Layer) *bool { return &l.Collapse }},
		{"motionBlur", func(l *aep.Layer) *bool { return &l.MotionBlur }},
		{"frameBlending", func(l *aep.Layer) *bool { return &l.FrameBlend }},
		{"preserveTransparency", func(l *aep.Layer) *bool { return &l.PreserveTransparency }},
	} {
		s.flag(c, f)
	}
	get(c, "source", func(r *layerRef) any { return s.itemOrNull(r.l.Source) })
	get(c, "isNameFromSource", func(r *layerRef) any { return r.l.Name == "" && r.l.Source != 0 })
	get(c, "width", func(r *layerRef) any { w, _ := s.layerSize(r); return w })
	get(c, "height", func(r *layerRef) any { _, h := s.layerSize(r); return h })
	get(c, "hasAudio", func(r *layerRef) any {
		it := s.project.Item(r.l.Source)
		return it != nil && s.hasAudio(it)
	})
	get(c, "audioActive", func(r *layerRef) any {
		it := s.project.Item(r.l.Source)
		return it != nil && s.hasAudio(it) && r.l.AudioEnabled
	})
	method(c, "audioActiveAtTime", func(r *layerRef, a args) any { return r.l.AudioEnabled })
	get(c, "canSetCollapseTransformation", func(r *layerRef) any { return r.l.Source != 0 })
	get(c, "canSetTimeRemapEnabled", func(r *layerRef) any {
		it := s.project.Item(r.l.Source)
		return it != nil && duration(it) > 0
	})
	attr(c, "timeRemapEnabled", func(r *layerRef) any {
		p := r.l.Props.Child("ADBE Time Remapping")
		return p != nil && len(p.Keys) > 0
	}, s.setTimeRemap)
	attr(c, "blendingMode", func(r *layerRef) any {
		if id, ok := s.enums.blendID[r.l.Blend]; ok {
			return id
		}
		return s.enums.blendID[aep.BlendNormal]
	}, func(r *layerRef, v goja.Value) {
		mode, ok := s.enums.blend[int(s.number(v, "blendingMode"))]
		if !ok {
			s.throw(`After Effects error: Unable to set "blendingMode": %s is out of range`, short(v.String()))
		}
		r.l.Blend = mode
	})
	attr(c, "quality", func(r *layerRef) any { return firstQuality + r.l.Quality }, func(r *layerRef, v goja.Value) {
		r.l.Quality = s.enumerated(v, "quality", firstQuality, 3)
	})
	for name, value := range map[string]any{"samplingQuality": 4812, "environmentLayer": false} {
		attr(c, name, func(*layerRef) any { return value }, func(*layerRef, goja.Value) {})
	}
	const firstBlending = 4012 // FrameBlendingType: none, a mixture, pixel motion
	attr(c, "frameBlendingType", func(r *layerRef) any {
		switch {
		case !r.l.FrameBlend:
			return firstBlending
		case r.l.PixelMotion:
			return firstBlending + 2
		}
		return firstBlending + 1
	}, func(r *layerRef, v goja.Value) {
		how := s.enumerated(v, "frameBlendingType", firstBlending, 3)
		r.l.FrameBlend, r.l.PixelMotion = how > 0, how == 2
	})
	method(c, "replaceSource", func(r *layerRef, a args) any { s.replaceSource(r, a); return undefined() })
	method(c, "sourceRectAtTime", func(r *layerRef, a args) any {
		left, top, width, height := s.machine.SourceRect(r.comp, r.l, a.num(0, 0), a.bool(1, false))
		o := s.rt.NewObject()
		_ = o.Set("top", top)
		_ = o.Set("left", left)
		_ = o.Set("width", width)
		_ = o.Set("height", height)
		return o
	})
	method(c, "calculateTransformFromPoints", func(*layerRef, args) any { s.throw("calculateTransformFromPoints is not available"); return nil })
	get(c, "essentialProperty", func(r *layerRef) any { return s.essential(r) })
	method(c, "addToMotionGraphicsTemplate", func(*layerRef, args) any { return false })
	method(c, "canAddToMotionGraphicsTemplate", func(*layerRef, args) any { return false })
}

func (s *session) layerSize(r *layerRef) (w, h int) {
	if it := s.project.Item(r.l.Source); it != nil {
		return size(it)
	}
	return r.comp.Comp.Width, r.comp.Comp.Height
}

// setTimeRemap turns time remapping on, with the two keyframes that After Effects starts it with, or off.
func (s *session) setTimeRemap(r *layerRef, v goja.Value) {
	p := r.l.Props.Child("ADBE Time Remapping")
	if !v.ToBoolean() {
		if p != nil {
			p.Keys = nil
		}
		return
	}
	it := s.project.Item(r.l.Source)
	if it == nil || duration(it) == 0 {
		s.throw(`After Effects error: Unable to set "timeRemapEnabled": the layer %q has no duration`, s.project.DisplayName(r.l))
	}
	if p == nil {
		p = &aep.Property{Match: "ADBE Time Remapping", Name: "Time Remap", Enabled: true, Dimensions: 1, Value: aep.Numbers{0}}
		r.l.Props.Children = append([]*aep.Property{p}, r.l.Props.Children...)
	}
	if len(p.Keys) > 0 {
		return
	}
	d := duration(it)
	for _, t := range []float64{0, d} {
		p.Keys = append(p.Keys, newKey(p, t, aep.Numbers{t}))
	}
}

// replaceSource keeps anchor point, masks and points of effects at the same fraction of the picture, as project files
// store them.
func (s *session) replaceSource(r *layerRef, a args) {
	src, ok := optional[*itemRef](s, a.at(0))
	if !ok || src.root || src.item.Kind == aep.ItemFolder {
		s.throw(`After Effects error: Unable to call "replaceSource" because of parameter 1. It is not an item that can be a layer`)
	}
	if r.l.Kind != aep.LayerAV {
		s.throw(`After Effects error: Unable to call "replaceSource": the layer %q has no source`, s.project.DisplayName(r.l))
	}
	if src.item.Comp != nil && s.contains(src.item, r.comp) {
		s.throw(`After Effects error: Unable to call "replaceSource": a composition can't contain itself`)
	}
	oldW, oldH := s.layerSize(r)
	r.l.Source = src.item.ID
	w, h := size(src.item)
	if oldW > 0 && oldH > 0 && w > 0 && h > 0 && (w != oldW || h != oldH) && !r.l.Null {
		rescale(r.l, float64(w)/float64(oldW), float64(h)/float64(oldH))
	}
}

func rescale(l *aep.Layer, x, y float64) {
	each(l.Props.Find("ADBE Transform Group", "ADBE Anchor Point"), x, y)
	if masks := l.Props.Child("ADBE Mask Parade"); masks != nil {
		for _, m := range masks.Children {
			each(m.Child("ADBE Mask Shape"), x, y)
		}
	}
	if effects := l.Props.Child("ADBE Effect Parade"); effects != nil {
		for _, e := range effects.Children {
			for _, p := range e.Children {
				if p.Spatial {
					each(p, x, y)
				}
			}
		}
	}
}

func each(p *aep.Property, x, y float64) {
	if p == nil {
		return
	}
	p.Value = scaled(p.Value, x, y)
	for i := range p.Keys {
		k := &p.Keys[i]
		k.Value = scaled(k.Value, x, y)
		k.TangentIn = scaleNumbers(k.TangentIn, x, y)
		k.TangentOut = scaleNumbers(k.TangentOut, x, y)
	}
}

func scaleNumbers(n []float64, x, y float64) []float64 {
	out := append([]float64(nil), n...)
	if len(out) > 1 {
		out[0], out[1] = out[0]*x, out[1]*y
	}
	return out
}

func scaled(v aep.Value, x, y float64) aep.Value {
	switch v := v.(type) {
	case aep.Numbers:
		return aep.Numbers(scaleNumbers(v, x, y))
	case *aep.Path:
		p := &aep.Path{Closed: v.Closed}
		for _, q := range v.Vertices {
			p.Vertices = append(p.Vertices, aep.Vertex{X: q.X * x, Y: q.Y * y, InX: q.InX * x, InY: q.InY * y, OutX: q.OutX * x, OutY: q.OutY * y})
		}
		return p
	}
	return v
}

func (s *session) defineMatte(c *class) {
	attr(c, "trackMatteType", func(r *layerRef) any { return firstTrackMatte + int(r.l.Matte) }, func(r *layerRef, v goja.Value) {
		r.l.Matte = aep.MatteKind(s.enumerated(v, "trackMatteType", firstTrackMatte, 5))
	})
	get(c, "hasTrackMatte", func(r *layerRef) any { return r.l.Matte != aep.MatteNone })
	get(c, "trackMatteLayer", func(r *layerRef) any {
		if m := s.matteOf(r); m != nil {
			return s.layer(r.comp, m)
		}
		return nil
	})
	get(c, "isTrackMatte", func(r *layerRef) any {
		for _, l := range r.comp.Comp.Layers {
			if s.matteOf(s.ref(r.comp, l)) == r.l {
				return true
			}
		}
		return false
	})
	method(c, "setTrackMatte", func(r *layerRef, a args) any {
		m, ok := optional[*layerRef](s, a.at(0))
		if !ok || m.comp != r.comp || m == r || m.removed {
			s.throw(`After Effects error: Unable to call "setTrackMatte": it needs another layer of the same composition`)
		}
		r.l.MatteLayer = m.l.ID
		r.l.Matte = aep.MatteKind(s.enumerated(a.at(1), "trackMatteType", firstTrackMatte, 5))
		return undefined()
	})
	method(c, "removeTrackMatte", func(r *layerRef, _ args) any {
		r.l.Matte, r.l.MatteLayer = aep.MatteNone, 0
		return undefined()
	})
}

// matteOf is the layer that is the track matte of a layer, nil for none.
func (s *session) matteOf(r *layerRef) *aep.Layer {
	if r.l.Matte == aep.MatteNone {
		return nil
	}
	if r.l.MatteLayer != 0 {
		return s.sibling(r, r.l.MatteLayer)
	}
	if i := r.index(); i > 1 {
		return r.comp.Comp.Layers[i-2]
	}
	return nil
}
