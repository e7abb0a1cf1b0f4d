package aep

import (
	"bytes"
	"fmt"
	"strings"

	"overcrank/aep/rifx"
)

// Offsets in the "tdsb" chunk of a property.
const (
	tdsbHigh = 2 // u8
	tdsbLow  = 3 // u8

	tdsbEnabledBit = 0
	tdsbHiddenBit  = 1
	tdsbLockedBit  = 5 // of tdsbHigh
)

// Offsets in the "tdb4" chunk of a property.
const (
	tdb4Size          = 124
	tdb4Dimensions    = 2  // u16
	tdb4Shape         = 5  // u8
	tdb4TimeBase      = 12 // u32, ticks per second of the keyframes
	tdb4Type          = 59
	tdb4ExpressionOff = 119
	tdb4Expression    = 120

	tdb4SpatialBit = 3 // of tdb4Shape
	tdb4ColorBit   = 0 // of tdb4Type
	maxDimensions  = 4
)

// Offsets in the "mkif" chunk of a mask.
const (
	mkifInverted   = 0 // u8
	mkifLocked     = 1 // u8
	mkifMotionBlur = 2 // u8
	mkifFalloff    = 3 // u8, 1 for an even one
	mkifMode       = 6 // u16
	mkifID         = 8 // u32
	mkifColor      = 45
)

// group reads the properties of a list: each is a match name followed by its chunks.
func (r *reader) group(p *Property, list *rifx.Chunk, scope *layerScope, depth int) error {
	if depth > r.lim.Depth {
		return fmt.Errorf("%w: properties lie more than %d deep", ErrLimit, r.lim.Depth)
	}
	r.flags(p, list)
	var match string
	var mask body
	var last *Property // the one that was just read
	var fields []string
	for i := range list.Children {
		c := &list.Children[i]
		switch {
		case c.ID == "tdmn" && !c.List:
			match, mask, last = r.string(body(c.Data).cstring(0, len(c.Data))), nil, nil
		case c.ID == "aRbs":
			if err := r.arbitrary(last, c); err != nil {
				return err
			}
		case match == "" || match == groupEnd:
		case c.ID == "mkif":
			mask = c.Data
		case c.ID == "OvG2":
			fields = r.overrideFields(c) // of the values that follow
		case c.List:
			child := &Property{Match: match, Enabled: true}
			if err := r.payload(child, c, scope, depth+1); err != nil {
				return err
			}
			if mask != nil {
				child.Mask = decodeMask(mask)
			}
			if match == matchOverrides {
				child.nameFields(fields)
			}
			if keep(child, scope) {
				p.Children = append(p.Children, child)
				r.from.property(child, c)
			}
			match, last = "", child
		}
	}
	markSeparated(p)
	return nil
}

// keep drops the parameter for the effect's own layer, which nobody sees.
func keep(p *Property, scope *layerScope) bool {
	return scope.effect == nil || p.Group || !strings.HasSuffix(p.Match, "-0000")
}

// payload reads one property.
func (r *reader) payload(p *Property, c *rifx.Chunk, scope *layerScope, depth int) error {
	if err := r.count(1); err != nil {
		return err
	}
	var err error
	switch c.ID {
	case "tdgp":
		p.Group = true
		err = r.group(p, c, scope, depth)
	case "tdbs":
		err = r.plain(p, c, scope)
	case "om-s":
		err = r.series(p, c, scope, "omks", r.paths)
	case "GCst":
		err = r.series(p, c, scope, "GCky", r.gradients)
	case "btds":
		err = r.series(p, c, scope, "btdk", r.documents)
	case "otst":
		err = r.series(p, c, scope, "otky", r.orientations)
	case "mrst":
		err = r.series(p, c, scope, "mrky", nil)
	case "sspc":
		err = r.effect(p, c, scope, depth)
	default:
		p.Group = c.Find("tdgp") != nil
		if inner := c.Find("tdgp"); inner != nil {
			err = r.group(p, inner, scope, depth)
		}
	}
	if err != nil {
		return err
	}
	if p.Name == "" {
		p.Name = displayName(p.Match, scope)
	}
	return nil
}

// flags reads the eye switch, the name and the like of a group or a value.
func (r *reader) flags(p *Property, list *rifx.Chunk) {
	if c := list.Find("tdsb"); c != nil {
		b := body(c.Data)
		p.Enabled = b.bit(tdsbLow, tdsbEnabledBit)
		p.Hidden = b.bit(tdsbLow, tdsbHiddenBit)
		p.Locked = b.bit(tdsbHigh, tdsbLockedBit)
	}
	if name := r.name(list.Find("tdsn")); name != "" {
		p.Name = name
	}
}

// markSeparated finds positions with separated dimensions: the position is hidden then and its dimensions are not.
func markSeparated(p *Property) {
	leader := p.Child(matchPosition)
	if leader == nil || !leader.Hidden {
		return
	}
	if x := p.Child("ADBE Position_0"); x != nil && !x.Hidden {
		leader.Separated = true
	}
}

func decodeMask(b body) *MaskInfo {
	m := &MaskInfo{
		Inverted:   b.u8(mkifInverted) != 0,
		Locked:     b.u8(mkifLocked) != 0,
		MotionBlur: MaskMotionBlur(b.u8(mkifMotionBlur)),
		Linear:     b.u8(mkifFalloff) == 1,
		Mode:       MaskMode(b.u16(mkifMode)),
		ID:         b.u32(mkifID),
	}
	if m.Mode > MaskDifference {
		m.Mode = MaskAdd
	}
	for i := range m.Color {
		m.Color[i] = float64(b.u8(mkifColor+i)) / 255
	}
	return m
}

// plain reads a property whose value is numbers, or is not understood.
func (r *reader) plain(p *Property, c *rifx.Chunk, scope *layerScope) error {
	r.flags(p, c)
	d := body(c.Find("tdb4").Bytes())
	if len(d) < tdb4Size {
		return fmt.Errorf("%w: the description of property %q has %d bytes instead of %d", ErrBroken, p.Match, len(d), tdb4Size)
	}
	p.Dimensions = min(int(d.u16(tdb4Dimensions)), maxDimensions)
	p.Spatial = d.bit(tdb4Shape, tdb4SpatialBit)
	p.Color = d.bit(tdb4Type, tdb4ColorBit)
	r.expression(p, c, d)
	if ref := c.Find("tdpi"); ref != nil {
		p.ChoosesLayer = true
		if id := body(ref.Data).s32(0); id > 0 {
			p.LayerRef = uint32(id)
		}
	}
	if part := c.Find("tdps"); part != nil {
		p.LayerPart = LayerPart(body(part.Data).s32(0))
	}
	if ref := c.Find("blsi"); ref != nil {
		p.SourceRef = body(ref.Data).u32(0)
	}
	if ref := c.Find("tdli"); ref != nil && scope != nil {
		scope.choices = append(scope.choices, maskChoice{p, body(ref.Data).u32(0)})
	}
	u := unitsOf(p, scope)
	if v := c.Find("cdat"); v != nil {
		p.Value = decodeNumbers(v.Data, p.Dimensions, u)
	} else if raw := c.Find("tdum"); raw == nil && c.Find("list") == nil {
		p.Value = opaqueValue(c)
	}
	if err := r.keyframes(p, c, d, u, scope); err != nil {
		return err
	}
	if p.Value == nil && len(p.Keys) > 0 {
		p.Value = p.Keys[0].Value
	}
	return nil
}

// arbitrary reads the data of an effect's own kind, such as its curves, that follow the property p: those of each keyframe, by position, or the
// static ones.
func (r *reader) arbitrary(p *Property, list *rifx.Chunk) error {
	if p == nil {
		return nil
	}
	n := 0
	for i := range list.Children {
		c := &list.Children[i]
		if c.ID != "aRbp" || c.List {
			continue
		}
		if err := r.count(1); err != nil {
			return err
		}
		v := Opaque(bytes.Clone(c.Data))
		if n == 0 {
			p.Value = v
		}
		if n < len(p.Keys) {
			p.Keys[n].Value = v
		}
		n++
	}
	return nil
}

func opaqueValue(c *rifx.Chunk) Value {
	for _, ch := range c.Children {
		switch ch.ID {
		case "tdsb", "tdsn", "tdb4", "tdpi", "tdps", "tdli", "expr", "Utf8":
			continue
		}
		if !ch.List {
			return Opaque(bytes.Clone(ch.Data))
		}
	}
	return nil
}

func (r *reader) expression(p *Property, c *rifx.Chunk, d body) {
	if d.u8(tdb4Expression) == 0 {
		return
	}
	text := c.Find("Utf8")
	if text == nil {
		text = c.Find("expr")
	}
	p.Expression = r.text(text)
	p.ExpressionOn = p.Expression != "" && d.u8(tdb4ExpressionOff)&1 == 0
}

// units convert the numbers of a property in the file to those that people see.
type units struct {
	scale [maxDimensions]float64
	color bool
}

var plainUnits = units{scale: [maxDimensions]float64{1, 1, 1, 1}}

// unitsOf finds the units of a property: some percentages are stored as fractions, colours as ARGB 0–255, and positions
// within a source as fractions of its size.
func unitsOf(p *Property, scope *layerScope) units {
	u := plainUnits
	switch {
	case p.Color:
		u.color = true
	case isFraction(p.Match):
		u.scale = [maxDimensions]float64{100, 100, 100, 100}
	case p.Match == matchAnchor && scope.fractions:
		u.scale = [maxDimensions]float64{scope.width, scope.height, 1, 1}
	case scope.effect != nil:
		if kind, ok := scope.effect.kind(p.Match); ok && (kind == paramPoint || kind == paramPoint3D) {
			u.scale = [maxDimensions]float64{scope.width, scope.height, scope.height, 1}
		}
	}
	return u
}

func isFraction(match string) bool {
	switch match {
	case "ADBE Scale", "ADBE Opacity", "ADBE Mask Opacity":
		return true
	}
	return false
}

// numbers converts n numbers that next returns.
func (u units) numbers(n int, next func(int) float64) Numbers {
	v := make(Numbers, n)
	for i := range v {
		v[i] = next(i) * u.scale[min(i, maxDimensions-1)]
	}
	if u.color && n == 4 {
		v[0], v[1], v[2], v[3] = v[1]/255, v[2]/255, v[3]/255, v[0]/255
	}
	return v
}

// decodeNumbers reads the static value. Files store more numbers than the property has dimensions.
func decodeNumbers(b body, dimensions int, u units) Value {
	n := min(dimensions, len(b)/8)
	if n == 0 {
		return nil
	}
	return u.numbers(n, func(i int) float64 { return b.f64(i * 8) })
}
