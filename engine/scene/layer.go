package scene

import (
	"slices"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/effect"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/shape"
	"overcrank/engine/style"
	"overcrank/engine/text/animate"
)

// Kind is a kind of layer.
type Kind int

// The kinds of layers.
const (
	Unknown Kind = iota
	Solid
	Footage // a file, also one that is missing
	Nested  // a composition
	Text
	Shape
	Camera
	Light
)

// Layer is a compiled layer.
type Layer struct {
	*aep.Layer
	Comp   *Comp
	Kind   Kind
	Source *aep.Item
	Inner  *Comp // the composition that it shows
	// Matted is the layer that is its track matte; nil when it has none.
	Matted *Layer

	Transform *eval.Transform
	Opacity   eval.Number // per cent
	Remap     eval.Number // time within the source, in seconds
	Remapped  bool
	Sounds    []SoundEffect // the effects on its sound
	Masks     []Mask
	Effects   []Effect
	Document  eval.Slot       // of a text layer
	Glyphs    *animate.Text   // of a text layer whose glyphs are changed one by one, nil for others
	Shapes    *shape.Contents // of a shape layer
	Styles    *style.Set      // nil for a layer without
	Material  *Material       // of a 3D layer
	// Joins tells whether it is a collapsed composition whose layers lie in the space of those around it.
	Joins bool
	// Varies tells whether anything of the layer but what it shows may change over time.
	Varies bool
	// Timed tells whether an effect, a text's glyphs or the blend mode may look different in each frame while all values stay.
	Timed bool
	// Filtering are the values of masks and effects that may change over time, Varying all values but those of the transform.
	Filtering []eval.Slot
	Varying   []eval.Slot
	// Redrawn are the values that may change over time of what is drawn of a text's glyphs, but the text itself, and of a shape layer's
	// contents.
	Redrawn []eval.Slot

	// Styling are the values of the styles that may change over time.
	Styling []eval.Slot

	blend  raster.Blend // how it is laid over those below it, but for one that changes with every frame
	within bool         // the composition that it shows contains it
	lacks  []Lack
}

// Mask is a mask that is on.
type Mask struct {
	Mode      aep.MaskMode
	Inverted  bool
	Path      eval.Slot
	Opacity   eval.Number // per cent
	Feather   eval.Vector // pixels of the layer, across and down
	Expansion eval.Number // pixels of the layer
	Linear    bool        // the feather falls off evenly
	Blurred   bool        // whether its changes while the shutter is open are blurred
}

// Effect is an effect that is on. One that replaces the layer's picture and cannot be drawn has no Effect of its own: it clears the picture.
type Effect struct {
	effect.Effect
	Name, Match string
	Limit       Limit
}

// Vector tells whether the layer is drawn from outlines at the size at which it is seen. After Effects applies the transform of such a
// layer before its effects, which then follow the axes of the composition.
func (l *Layer) Vector() bool { return l.Centred() || l.Sharp() }

// Centred tells whether the layer's pixels lie around its origin, and not to the right of and below it.
func (l *Layer) Centred() bool { return l.Kind == Text || l.Kind == Shape }

// Stirs tells whether the outlines of a text or shape move while all its values stay.
func (l *Layer) Stirs() bool {
	return l.Glyphs != nil && l.Glyphs.Timed() || l.Shapes != nil && l.Shapes.Timed()
}

// InCharacters tells whether each character of a text has a place of its own in space, where it is drawn.
func (l *Layer) InCharacters() bool {
	return l.Kind == Text && l.Glyphs != nil && l.Glyphs.InSpace() && len(l.Masks) == 0 && !l.Adjustment
}

// Sharp tells whether it shows a file of outlines that is rasterised continuously.
func (l *Layer) Sharp() bool {
	return l.Kind == Footage && l.Collapse && l.Source != nil && l.Source.Footage != nil && l.Source.Footage.Kind == aep.FootageFile && Outlines(l.Source.FileName())
}

// Size is the width and height of the layer, in its pixels: those of what it shows, or of the composition if that has none.
func (l *Layer) Size() geom.Point {
	switch s := l.Source; {
	case l.Centred() || s == nil:
	case s.Comp != nil:
		return geom.Point{X: float64(s.Comp.Width), Y: float64(s.Comp.Height)}
	case s.Footage != nil && s.Footage.Width > 0:
		return geom.Point{X: float64(s.Footage.Width), Y: float64(s.Footage.Height)}
	}
	c := l.Comp.Composition
	return geom.Point{X: float64(c.Width), Y: float64(c.Height)}
}

// At refers to a property of the layer.
func (l *Layer) At(p *aep.Property) eval.Ref {
	return eval.Ref{Comp: l.Comp.Item, Layer: l.Layer, Prop: p}
}

func (c *compiler) layer(comp *Comp, l *aep.Layer) *Layer {
	out := &Layer{Layer: l, Comp: comp, Source: c.scene.Project.Item(l.Source)}
	out.Kind = kindOf(l, out.Source)
	if out.Source != nil && out.Source.Comp != nil {
		out.within = c.within[out.Source]
		out.Inner = c.comp(out.Source)
	}
	out.Transform = eval.TransformOf(c.scene.Project, comp.Item, l)
	out.Opacity = eval.NumberOf(out.At(l.Props.Find("ADBE Transform Group", "ADBE Opacity")), 100)
	out.Varies = eval.Varies(l.Props)
	for _, group := range l.Props.Children {
		switch group.Match {
		case "ADBE Audio Group", "ADBE Marker": // not seen
		case "ADBE Transform Group": // the opacity is; the rest is the Transform
			if out.Opacity.Varies() {
				out.Varying = append(out.Varying, out.Opacity.Slot)
			}
		default:
			out.Varying = out.vary(out.Varying, group)
		}
	}
	if remap := l.Props.Child("ADBE Time Remapping"); remap != nil && (len(remap.Keys) > 0 || eval.Driven(remap)) {
		out.Remap, out.Remapped = eval.NumberOf(out.At(remap), 0), true
	}
	switch out.Kind {
	case Text:
		out.Document = eval.SlotOf(out.At(l.Props.Find("ADBE Text Properties", "ADBE Text Document")))
		for _, match := range []string{"ADBE Text Animators", "ADBE Text Path Options", "ADBE Text More Options"} {
			out.Redrawn = out.vary(out.Redrawn, l.Props.Find("ADBE Text Properties", match))
		}
		if out.Glyphs = animate.Compile(out.At(l.Props.Child("ADBE Text Properties"))); out.Glyphs != nil && out.Glyphs.Timed() {
			out.Timed, out.Varies = true, true
		}
	case Shape:
		out.Shapes = shape.Compile(out.At(l.Props.Child("ADBE Root Vectors Group")))
		out.Redrawn = out.vary(nil, l.Props.Child("ADBE Root Vectors Group"))
		if out.Shapes.Timed() {
			out.Timed, out.Varies = true, true
		}
	}
	out.blend = out.blending()
	if out.dances() {
		out.Timed, out.Varies = true, true
	}
	out.Material = out.material()
	out.masks()
	c.effects(out)
	if !l.Adjustment {
		out.Styles = style.Compile(out.At(l.Props.Child("ADBE Layer Styles")))
	}
	if out.Styles != nil && c.scene.Color.Deep() {
		for _, one := range out.Styles.On {
			out.detail("the precision beyond 8 bits of its layer styles", Styled(one))
		}
	}
	if out.Styles != nil {
		out.Styling = out.vary(nil, l.Props.Child("ADBE Layer Styles"))
	}
	out.Joins = out.joins()
	return out
}

// joins tells whether the layers of the collapsed composition that it shows lie in the space of those around it: there is depth, and the layer changes
// nothing of their picture as a whole.
func (l *Layer) joins() bool {
	if l.Kind != Nested || !l.Collapse || l.within || l.Adjustment || l.PreserveTransparency || !l.ThreeD && !l.Inner.deep() {
		return false
	}
	return l.Matte == aep.MatteNone && l.Blend <= aep.BlendNormal && l.Styles == nil && len(l.Masks)+len(l.Effects) == 0
}

func kindOf(l *aep.Layer, source *aep.Item) Kind {
	switch l.Kind {
	case aep.LayerAV:
		switch {
		case source != nil && source.Comp != nil:
			return Nested
		case source != nil && source.Footage != nil && source.Footage.Kind == aep.FootageSolid:
			return Solid
		case source == nil || source.Footage != nil:
			return Footage
		}
	case aep.LayerText:
		return Text
	case aep.LayerShape:
		return Shape
	case aep.LayerCamera:
		return Camera
	case aep.LayerLight:
		return Light
	}
	return Unknown
}

func (l *Layer) masks() {
	group := l.Props.Child("ADBE Mask Parade")
	if group == nil {
		return
	}
	for _, p := range group.Children {
		if p.Mask == nil || p.Mask.Mode == aep.MaskNone || !p.Enabled {
			continue
		}
		m := l.mask(p)
		if feathered(p.Child("ADBE Mask Shape")) {
			l.detail("After Effects' own curve between the feather points of mask '"+DisplayName(p)+"'", Masks)
		}
		l.Masks = append(l.Masks, m)
	}
	l.Filtering = l.vary(l.Filtering, group)
}

// feathered tells whether a path has feather points at any time.
func feathered(p *aep.Property) bool {
	if p == nil {
		return false
	}
	has := func(v aep.Value) bool {
		path, ok := v.(*aep.Path)
		return ok && path != nil && len(path.Feather) > 0
	}
	return has(p.Value) || slices.ContainsFunc(p.Keys, func(k aep.Keyframe) bool { return has(k.Value) })
}

// mask compiles a mask of the layer.
func (l *Layer) mask(p *aep.Property) Mask {
	at := func(match string) eval.Ref { return l.At(p.Child(match)) }
	m := Mask{
		Mode: p.Mask.Mode, Inverted: p.Mask.Inverted, Linear: p.Mask.Linear,
		Path: eval.SlotOf(at("ADBE Mask Shape")), Opacity: eval.NumberOf(at("ADBE Mask Opacity"), 100),
		Feather: eval.VectorOf(at("ADBE Mask Feather"), [4]float64{}), Expansion: eval.NumberOf(at("ADBE Mask Offset"), 0),
	}
	marked := p.Mask.MotionBlur == aep.MaskBlurOn || p.Mask.MotionBlur == aep.MaskBlurOfLayer && l.MotionBlur
	m.Blurred = marked && (m.Path.Varies() || m.Opacity.Varies() || m.Feather.Varies() || m.Expansion.Varies())
	return m
}

func (c *compiler) effects(l *Layer) {
	group := l.Props.Child("ADBE Effect Parade")
	if group == nil || !l.EffectsEnabled {
		return
	}
	for _, p := range group.Children {
		if !p.Enabled || !p.Group || effect.IsControl(p) {
			continue
		}
		name := DisplayName(p)
		self := Named(aep.NeedEffect, name, p.Match)
		if kind, ofSound := audio.KindOf(p.Match); ofSound {
			l.sound(p, kind, name)
			continue
		}
		make, known := effect.Find(p.Match)
		if !known {
			l.lack("effect '"+name+"'", self)
			if effect.Replaces(p.Match) {
				l.Effects = append(l.Effects, Effect{Name: name, Match: p.Match})
			}
			continue
		}
		params := effect.Of(l.At(p))
		made := make(params)
		l.Effects = append(l.Effects, Effect{made, name, p.Match, l.limit(p, name)})
		if timed, ok := made.(effect.Timed); ok && timed.Timed() {
			l.Timed, l.Varies = true, true
		}
		if c.scene.Color.Deep() && !precise(made) {
			l.detail("the precision beyond 8 bits of effect '"+name+"'", self)
		}
		for _, part := range params.Lacks() {
			l.detail(part+" of effect '"+name+"'", self)
		}
	}
	if len(l.Effects) > 0 {
		l.Filtering = l.vary(l.Filtering, group)
	}
}

// precise tells whether an effect is drawn in more than bytes.
func precise(e effect.Effect) bool {
	switch e.(type) {
	case effect.Tone, effect.Deep:
		return true
	}
	return false
}

// vary adds what of a group of properties may change over time to a list.
func (l *Layer) vary(list []eval.Slot, p *aep.Property) []eval.Slot {
	if p == nil {
		return list
	}
	for _, child := range p.Children {
		list = l.vary(list, child)
	}
	if slot := eval.SlotOf(l.At(p)); slot.Varies() {
		list = append(list, slot)
	}
	return list
}

// DisplayName is the name of a property as a person sees it.
func DisplayName(p *aep.Property) string {
	if p.Name != "" {
		return p.Name
	}
	return p.Match
}
