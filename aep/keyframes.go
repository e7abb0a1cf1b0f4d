package aep

import (
	"fmt"
	"math"

	"overcrank/aep/rifx"
)

// Offsets in the "lhd3" chunk, the header of a list of records of one size in an "ldat" chunk.
const (
	lhd3Size     = 52
	lhd3Count    = 10 // u16
	lhd3ItemSize = 18 // u16
)

// Offsets in the record of a keyframe.
const (
	keyTime  = 0 // s32, in ticks
	keyIn    = 4 // u8
	keyOut   = 5 // u8
	keyLabel = 6 // u8
	keyFlags = 7 // u8

	keyRovingBit     = 5
	keyAutoBezierBit = 4
	keyContinuousBit = 3

	keyNumbers      = 8  // value, then in-speeds, in-influences, out-speeds, out-influences
	keyEases        = 24 // of spatial values and of values without a number: the same for all dimensions together
	keySpatialValue = 56 // value, then tangents in and out
)

// Sizes of the record of a keyframe.
const (
	keySizeMarker      = 16
	keySizeValueless   = 64
	keySizeOrientation = 80
	keySizeSpatial2    = 104
	keySizeColor       = 152
)

// records are the entries of an "ldat" chunk, all of one size.
func records(list *rifx.Chunk) (items []body, err error) {
	head := body(list.Find("lhd3").Bytes())
	if len(head) < lhd3Size {
		return nil, fmt.Errorf("%w: the header of a list has %d bytes instead of %d", ErrBroken, len(head), lhd3Size)
	}
	count, size := int(head.u16(lhd3Count)), int(head.u16(lhd3ItemSize))
	data := list.Find("ldat").Bytes()
	if count == 0 || size == 0 {
		return nil, nil
	}
	if len(data)/size < count {
		return nil, fmt.Errorf("%w: a list of %d entries holds only %d", ErrBroken, count, len(data)/size)
	}
	items = make([]body, count)
	for i := range items {
		items[i] = data[i*size : (i+1)*size]
	}
	return items, nil
}

// keyframes reads the keyframes of a property from its chunks c.
func (r *reader) keyframes(p *Property, c *rifx.Chunk, d body, u units, scope *layerScope) error {
	list := c.Find("list")
	if list == nil {
		return nil
	}
	items, err := records(list)
	if err != nil {
		return fmt.Errorf("keyframes of %q: %w", p.Match, err)
	}
	if err := r.count(len(items)); err != nil {
		return err
	}
	base := float64(d.u32(tdb4TimeBase))
	if base <= 0 {
		base = float64(max(1, scope.comp.TicksPerSecond))
	}
	p.Keys = make([]Keyframe, len(items))
	for i, b := range items {
		p.Keys[i] = decodeKey(b, p, base, u)
	}
	if p.Spatial && u.scale[0] != u.scale[1] {
		scaleSpeeds(p.Keys, u)
	} else if p.Spatial {
		for i := range p.Keys {
			scaleEases(p.Keys[i].InEase, u.scale[0])
			scaleEases(p.Keys[i].OutEase, u.scale[0])
		}
	}
	return nil
}

func decodeKey(b body, p *Property, base float64, u units) Keyframe {
	k := Keyframe{
		Time:       float64(b.s32(keyTime)) / base,
		In:         interpolation(b.u8(keyIn)),
		Out:        interpolation(b.u8(keyOut)),
		Label:      int(b.u8(keyLabel)),
		Roving:     b.bit(keyFlags, keyRovingBit),
		AutoBezier: b.bit(keyFlags, keyAutoBezierBit),
		Continuous: b.bit(keyFlags, keyContinuousBit),
	}
	n := p.Dimensions
	switch size := len(b); {
	case size == keySizeMarker:
	case size == keySizeColor || size == keySizeOrientation || p.Spatial && size >= keySizeSpatial2:
		switch size {
		case keySizeColor:
			n = 4
		case keySizeOrientation:
			n = 3
		default:
			n = min(max(n, 2), (size-keySpatialValue)/24)
		}
		decodeSpatialKey(&k, b, n, u)
	case size == keySizeValueless || size < keyNumbers+5*8*max(n, 1):
		k.InEase, k.OutEase = commonEases(b)
	case n > 0:
		decodeNumberKey(&k, b, n, u)
	}
	return k
}

func interpolation(v uint8) Interpolation {
	switch i := Interpolation(v); i {
	case Linear, Bezier, Hold:
		return i
	}
	return Linear
}

func commonEases(b body) (in, out []Ease) {
	return []Ease{{b.f64(keyEases), b.f64(keyEases + 8)}}, []Ease{{b.f64(keyEases + 16), b.f64(keyEases + 24)}}
}

func decodeSpatialKey(k *Keyframe, b body, n int, u units) {
	k.InEase, k.OutEase = commonEases(b)
	k.Value = u.numbers(n, func(i int) float64 { return b.f64(keySpatialValue + 8*i) })
	if len(b) < keySpatialValue+24*n || u.color {
		return
	}
	k.TangentIn = u.numbers(n, func(i int) float64 { return b.f64(keySpatialValue + 8*(n+i)) })
	k.TangentOut = u.numbers(n, func(i int) float64 { return b.f64(keySpatialValue + 8*(2*n+i)) })
}

func decodeNumberKey(k *Keyframe, b body, n int, u units) {
	at := func(row, i int) float64 { return b.f64(keyNumbers + 8*(row*n+i)) }
	k.Value = u.numbers(n, func(i int) float64 { return at(0, i) })
	k.InEase, k.OutEase = make([]Ease, n), make([]Ease, n)
	for i := range n {
		scale := u.scale[min(i, maxDimensions-1)]
		k.InEase[i] = Ease{at(1, i) * scale, at(2, i)}
		k.OutEase[i] = Ease{at(3, i) * scale, at(4, i)}
	}
}

// scaleSpeeds converts speeds along a path whose dimensions have different units, by the ratio of the distance between
// two keyframes in pixels to that in the file's units.
func scaleSpeeds(keys []Keyframe, u units) {
	for i := 0; i+1 < len(keys); i++ {
		a, aOK := keys[i].Value.(Numbers)
		b, bOK := keys[i+1].Value.(Numbers)
		if !aOK || !bOK {
			continue
		}
		var pixels, disk float64
		for d := range a {
			way := b[d] - a[d]
			pixels += way * way
			if s := u.scale[min(d, maxDimensions-1)]; s != 0 {
				disk += way * way / (s * s)
			}
		}
		if disk == 0 {
			continue
		}
		ratio := math.Sqrt(pixels / disk)
		scaleEases(keys[i].OutEase, ratio)
		scaleEases(keys[i+1].InEase, ratio)
	}
}

func scaleEases(eases []Ease, by float64) {
	for i := range eases {
		eases[i].Speed *= by
	}
}

// series reads a property whose values are stored beside its keyframes, in a list of their own: paths, gradients, text
// documents and orientations. With nil values it reads only the keyframes.
func (r *reader) series(p *Property, c *rifx.Chunk, scope *layerScope, list string, values func(*Property, *rifx.Chunk, *layerScope) ([]Value, error)) error {
	if inner := c.Find("tdbs"); inner != nil {
		if err := r.plain(p, inner, scope); err != nil {
			return err
		}
	}
	p.Value = nil
	body := c.Find(list)
	if values == nil || body == nil {
		return nil
	}
	vs, err := values(p, body, scope)
	if err != nil {
		return fmt.Errorf("property %q: %w", p.Match, err)
	}
	if err := r.count(len(vs)); err != nil {
		return err
	}
	for i := range p.Keys {
		if i < len(vs) {
			p.Keys[i].Value = vs[i]
		}
	}
	if len(vs) > 0 {
		p.Value = vs[0]
	}
	return nil
}

// orientations reads the three angles of each keyframe, in degrees.
func (r *reader) orientations(p *Property, list *rifx.Chunk, _ *layerScope) ([]Value, error) {
	var out []Value
	for i := range list.Children {
		if c := &list.Children[i]; c.ID == "otda" {
			b := body(c.Data)
			p.Dimensions = 3
			out = append(out, Numbers{b.f64(0), b.f64(8), b.f64(16)})
		}
	}
	return out, nil
}
