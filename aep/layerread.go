package aep

import (
	"fmt"
	"math"

	"overcrank/aep/rifx"
)

// Offsets in the "ldta" chunk of a layer. In and out points are relative to the start, before stretching.
const (
	ldtaSize            = 160
	ldtaID              = 0   // u32
	ldtaQuality         = 4   // u16
	ldtaStretch         = 8   // s32, over ldtaStretchDivisor
	ldtaStart           = 12  // ratio
	ldtaIn              = 20  // ratio
	ldtaOut             = 28  // ratio
	ldtaFlags           = 37  // three u8
	ldtaSource          = 40  // u32
	ldtaLabel           = 61  // u8
	ldtaName            = 64  // 32 bytes, from before names had a chunk of their own
	ldtaBlend           = 99  // u8
	ldtaTransfer        = 103 // u8, flags
	ldtaMatte           = 107 // u8
	ldtaStretchDivisor  = 108 // u32
	ldtaKind            = 131 // u8
	ldtaParent          = 132 // u32
	ldtaLightKind       = 139 // u8
	ldtaMatteLayer      = 160 // u32, since After Effects 23
	ldtaNameLength      = 32
	ldtaFlagGuide       = 1 // of the first byte of flags
	ldtaFlagPixelMotion = 2
	ldtaFlagBicubic     = 6
	ldtaFlagInSpace     = 3
	ldtaFlagCharacters  = 4
	ldtaFlagNull        = 7 // of the second
	ldtaFlagSolo        = 3
	ldtaFlagThreeD      = 2
	ldtaFlagAdjustment  = 1
	ldtaFlagAutoOrient  = 0
	ldtaFlagFacesCamera = 5
	ldtaFlagCollapse    = 7 // of the third
	ldtaFlagShy         = 6
	ldtaFlagLocked      = 5
	ldtaFlagFrameBlend  = 4
	ldtaFlagMotionBlur  = 3
	ldtaFlagEffects     = 2
	ldtaFlagAudio       = 1
	ldtaFlagVisible     = 0
	ldtaFlagPreserve    = 0 // of ldtaTransfer, as in the SDK's AEGP_TransferFlags
	ldtaFlagDancing     = 1
	maxSensibleDuration = 1e7 // seconds; anything longer is a broken file
)

// layerScope is what the units of a layer's properties depend on.
type layerScope struct {
	comp          *Composition
	layer         *Layer
	width, height float64 // of the source, or of the composition for layers without one
	fractions     bool    // anchor point and masks are fractions of the source
	start         float64 // composition seconds of the layer's own time 0
	stretch       float64 // percent
	effect        *effectDefinition
	choices       []maskChoice
}

func (r *reader) layer(comp *Composition, c *rifx.Chunk) (*Layer, error) {
	b := body(c.Find("ldta").Bytes())
	if len(b) < ldtaSize {
		return nil, fmt.Errorf("%w: a layer's header has %d bytes instead of %d", ErrBroken, len(b), ldtaSize)
	}
	l := decodeLayer(b)
	l.Comment = r.text(c.Find("cmta"))
	if name := c.Find("Utf8"); name != nil {
		l.Name = r.name(name)
	} else {
		l.Name = r.string(b.cstring(ldtaName, ldtaNameLength))
	}
	if err := r.count(1); err != nil {
		return nil, err
	}
	r.from.layer(l, c)
	scope := r.scope(comp, l)
	l.Props = &Property{Group: true, Enabled: true, Match: "ADBE " + rootMatch(l.Kind), Name: l.Name}
	if tree := c.Find("tdgp"); tree != nil {
		if err := r.group(l.Props, tree, scope, 0); err != nil {
			return nil, fmt.Errorf("layer %q: %w", l.Name, err)
		}
	}
	chooseMasks(l, scope.choices)
	l.Markers = r.markers(c.Find("tdgp"), scope)
	r.clampOut(l)
	return l, nil
}

// rootMatch is the match name of a layer without its prefix "ADBE ".
func rootMatch(k LayerKind) string {
	switch k {
	case LayerText:
		return "Text Layer"
	case LayerShape:
		return "Vector Layer"
	case LayerCamera:
		return "Camera Layer"
	case LayerLight:
		return "Light Layer"
	}
	return "AV Layer"
}

func decodeLayer(b body) *Layer {
	l := &Layer{
		ID:                   b.u32(ldtaID),
		Label:                int(b.u8(ldtaLabel)),
		Kind:                 LayerKind(b.u8(ldtaKind)),
		Source:               b.u32(ldtaSource),
		Parent:               b.u32(ldtaParent),
		Start:                b.ratio(ldtaStart, 0),
		Stretch:              100,
		Blend:                BlendMode(b.u8(ldtaBlend)),
		Matte:                MatteKind(b.u8(ldtaMatte)),
		MatteLayer:           b.u32(ldtaMatteLayer),
		PreserveTransparency: b.bit(ldtaTransfer, ldtaFlagPreserve),
		Quality:              int(b.u16(ldtaQuality)),
		LightKind:            int(b.u8(ldtaLightKind)),

		Guide:             b.bit(ldtaFlags, ldtaFlagGuide),
		CharactersInSpace: b.bit(ldtaFlags, ldtaFlagInSpace),
		CharactersFace:    b.bit(ldtaFlags, ldtaFlagCharacters),
		Null:              b.bit(ldtaFlags+1, ldtaFlagNull),
		Solo:              b.bit(ldtaFlags+1, ldtaFlagSolo),
		ThreeD:            b.bit(ldtaFlags+1, ldtaFlagThreeD),
		Adjustment:        b.bit(ldtaFlags+1, ldtaFlagAdjustment),
		AutoOrient:        b.bit(ldtaFlags+1, ldtaFlagAutoOrient),
		FacesCamera:       b.bit(ldtaFlags+1, ldtaFlagFacesCamera),
		Collapse:          b.bit(ldtaFlags+2, ldtaFlagCollapse),
		Shy:               b.bit(ldtaFlags+2, ldtaFlagShy),
		Locked:            b.bit(ldtaFlags+2, ldtaFlagLocked),
		FrameBlend:        b.bit(ldtaFlags+2, ldtaFlagFrameBlend),
		PixelMotion:       b.bit(ldtaFlags, ldtaFlagPixelMotion),
		Bicubic:           b.bit(ldtaFlags, ldtaFlagBicubic),
		MotionBlur:        b.bit(ldtaFlags+2, ldtaFlagMotionBlur),
		EffectsEnabled:    b.bit(ldtaFlags+2, ldtaFlagEffects),
		AudioEnabled:      b.bit(ldtaFlags+2, ldtaFlagAudio),
		Enabled:           b.bit(ldtaFlags+2, ldtaFlagVisible),
	}
	if l.Blend == BlendDissolve && b.bit(ldtaTransfer, ldtaFlagDancing) {
		l.Blend = BlendDancingDissolve
	}
	if d := b.u32(ldtaStretchDivisor); d != 0 && b.s32(ldtaStretch) != 0 {
		l.Stretch = float64(b.s32(ldtaStretch)) / float64(d) * 100
	}
	if l.Blend == 0 {
		l.Blend = BlendNormal
	}
	if l.Matte > MatteLumaInverted {
		l.Matte = MatteNone
	}
	l.In = l.Start + b.ratio(ldtaIn, 0)*l.Stretch/100
	l.Out = l.Start + b.ratio(ldtaOut, 0)*l.Stretch/100
	if l.Out < l.In {
		l.In, l.Out = l.Out, l.In
	}
	return l
}

func (r *reader) scope(comp *Composition, l *Layer) *layerScope {
	s := &layerScope{
		comp: comp, layer: l, start: l.Start, stretch: l.Stretch,
		width: float64(comp.Width), height: float64(comp.Height),
	}
	if w, h := sourceSize(l, r.find(l.Source)); w > 0 && h > 0 {
		s.width, s.height, s.fractions = float64(w), float64(h), true
	}
	return s
}

// find finds an item by id. It has an index while a file is read and summarised: a walk over the items of a hostile file
// would take too long.
func (r *reader) find(id uint32) *Item {
	if r.byID != nil {
		return r.byID[id]
	}
	return r.project.Item(id)
}

// SourceSize is the size of a layer's source in pixels, zero for layers without one.
func (p *Project) SourceSize(l *Layer) (width, height int) {
	return sourceSize(l, p.Item(l.Source))
}

func sourceSize(l *Layer, it *Item) (width, height int) {
	if l.Kind != LayerAV || l.Source == 0 {
		return 0, 0
	}
	switch {
	case it == nil:
		return 0, 0
	case it.Comp != nil:
		return it.Comp.Width, it.Comp.Height
	case it.Footage != nil:
		return it.Footage.Width, it.Footage.Height
	}
	return 0, 0
}

// clampOut ends a layer with its source. Files store out-points beyond it, which After Effects ignores, unless the time
// is remapped or the source is a still.
func (r *reader) clampOut(l *Layer) {
	if l.Kind != LayerAV || l.Stretch <= 0 || l.timeRemapped() {
		return
	}
	it := r.find(l.Source)
	if it == nil {
		return
	}
	var length float64
	switch {
	case it.Comp != nil:
		length = it.Comp.Duration
	case it.Footage != nil && !it.Footage.Still && it.Footage.Kind != FootageSolid:
		length = it.Footage.Duration * float64(max(1, it.Footage.Loop))
	}
	if end := l.Start + length*l.Stretch/100; length > 0 && length < maxSensibleDuration && end > l.In {
		l.Out = math.Min(l.Out, end)
	}
}

func (l *Layer) timeRemapped() bool {
	remap := l.Props.Child(matchTimeRemap)
	return remap != nil && len(remap.Keys) > 0
}
