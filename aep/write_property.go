package aep

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"overcrank/aep/rifx"
)

// propertyWriter writes the property tree of one layer.
type propertyWriter struct {
	writer
	comp   *Composition
	layer  *Layer
	second uint32            // ticks per second of keyframe times
	effect *effectDefinition // the effect whose parameters are written, nil outside of effects
}

const (
	groupEnd  = "ADBE Group End"
	noOwnName = "-_0_/-" // After Effects' name for a property that the user did not name
)

func (pw propertyWriter) group(g *Property) (rifx.Chunk, error) {
	chunks := []rifx.Chunk{pw.switches(g), rifx.Wrapped("tdsn", noOwnName)}
	for _, c := range g.Children {
		payload, err := pw.payload(c)
		if err != nil {
			return rifx.Chunk{}, fmt.Errorf("property %q: %w", c.Match, err)
		}
		if c.Match == matchOverrides {
			payload = append([]rifx.Chunk{overrideList(c)}, payload...)
		}
		chunks = append(append(chunks, matchName(c.Match)), payload...)
	}
	return rifx.List("tdgp", append(chunks, matchName(groupEnd))...), nil
}

func (pw propertyWriter) payload(p *Property) ([]rifx.Chunk, error) {
	if p.Match == "ADBE Effect Parade" && len(p.Children) > 0 {
		return nil, errors.New("effects can't be written")
	}
	if p.Group {
		g, err := pw.group(p)
		if p.Mask != nil {
			return []rifx.Chunk{maskInfo(p.Mask), g}, err
		}
		return []rifx.Chunk{g}, err
	}
	values := valuesOf(p)
	switch values[0].(type) {
	case nil:
		if p.SourceRef != 0 {
			return []rifx.Chunk{rifx.List("tdbs", append(pw.base(p, 1, true), rifx.Leaf("blsi", be32(p.SourceRef)))...)}, nil
		}
	case Numbers:
		c, err := pw.plain(p, values)
		return []rifx.Chunk{c}, err
	case *Path:
		c, err := pw.paths(p, values)
		return []rifx.Chunk{c}, err
	case *TextDocument:
		c, err := pw.text(p, values)
		return []rifx.Chunk{c}, err
	}
	return nil, fmt.Errorf("a value of type %T can't be written", values[0])
}

// valuesOf are the values of the keyframes, or the static value.
func valuesOf(p *Property) []Value {
	if len(p.Keys) == 0 {
		return []Value{p.Value}
	}
	out := make([]Value, len(p.Keys))
	for i, k := range p.Keys {
		out[i] = k.Value
	}
	return out
}

func matchName(s string) rifx.Chunk {
	b := make([]byte, 40)
	copy(b[:39], s)
	return rifx.Leaf("tdmn", b)
}

func (pw propertyWriter) switches(p *Property) rifx.Chunk {
	b := make([]byte, 4)
	if p.Enabled || !p.Group {
		b[3] |= 1
	}
	if p.Hidden || p.Separated {
		b[3] |= 2
	}
	if p.Locked {
		b[2] |= 0x20
	}
	if p.Separated {
		b[2] |= 0x08
	}
	return rifx.Leaf("tdsb", b)
}

func maskInfo(m *MaskInfo) rifx.Chunk {
	b := make([]byte, 48)
	if m.Inverted {
		b[0] = 1
	}
	if m.Locked {
		b[1] = 1
	}
	b[2] = byte(m.MotionBlur)
	if m.Linear {
		b[mkifFalloff] = 1
	}
	binary.BigEndian.PutUint16(b[mkifMode:], uint16(m.Mode))
	binary.BigEndian.PutUint32(b[mkifID:], m.ID)
	for i, v := range m.Color {
		b[45+i] = byte(math.Round(255 * v))
	}
	return rifx.Leaf("mkif", b)
}

// plain writes a numeric property.
func (pw propertyWriter) plain(p *Property, values []Value) (rifx.Chunk, error) {
	n := len(values[0].(Numbers))
	base := pw.base(p, n, false)
	if len(p.Keys) == 0 {
		base = append(base, pw.static(p, values[0].(Numbers)))
	} else {
		items := make([][]byte, len(p.Keys))
		for i, k := range p.Keys {
			item, err := pw.numberKey(p, k, n)
			if err != nil {
				return rifx.Chunk{}, err
			}
			items[i] = item
		}
		base = append(base, list(items))
	}
	return rifx.List("tdbs", append(base, expression(p)...)...), nil
}

// base is the beginning of every property: switches, name, and the 124 bytes of its type.
func (pw propertyWriter) base(p *Property, dimensions int, noValue bool) []rifx.Chunk {
	b := make([]byte, 124)
	binary.BigEndian.PutUint16(b[0:], 0xDB99)
	binary.BigEndian.PutUint16(b[2:], uint16(dimensions))
	if p.Spatial {
		b[5] |= 1 << 3
	}
	if len(p.Keys) == 0 {
		b[5] |= 1
	} else {
		b[68] = 1
	}
	b[11] |= 1 << 1
	binary.BigEndian.PutUint32(b[12:], pw.second)
	switch {
	case noValue:
		b[57] |= 1
	case p.Color:
		b[59] |= 1
	default:
		b[59] |= 1 << 3
	}
	if p.Expression != "" {
		b[120] = 1
		if !p.ExpressionOn {
			b[119] |= 1
		}
	}
	return []rifx.Chunk{pw.switches(p), rifx.Wrapped("tdsn", noOwnName), rifx.Leaf("tdb4", b)}
}

func expression(p *Property) []rifx.Chunk {
	if p.Expression == "" {
		return nil
	}
	return []rifx.Chunk{rifx.Utf8(p.Expression)}
}

// static is a value as the file stores it, with room for more numbers than it has.
func (pw propertyWriter) static(p *Property, v Numbers) rifx.Chunk {
	stored := pw.stored(p, v)
	b := make([]byte, 8*(2*len(stored)+3))
	for i, f := range stored {
		binary.BigEndian.PutUint64(b[8*i:], math.Float64bits(f))
	}
	return rifx.Leaf("cdat", b)
}

// stored converts a value to the units of the file; it is the inverse of unitsOf.
func (pw propertyWriter) stored(p *Property, v Numbers) []float64 {
	out := make([]float64, len(v))
	if p.Color && len(v) == 4 {
		return []float64{255 * v[3], 255 * v[0], 255 * v[1], 255 * v[2]}
	}
	for i := range v {
		out[i] = v[i] / pw.unit(p, i)
	}
	return out
}

// unit is the number of displayed units in one stored unit, in dimension i.
func (pw propertyWriter) unit(p *Property, i int) float64 {
	if isFraction(p.Match) {
		return 100
	}
	w, h := pw.p.SourceSize(pw.layer)
	fractions := w > 0 && h > 0
	if kind, ok := pw.effect.kind(p.Match); ok && (kind == paramPoint || kind == paramPoint3D) {
		if !fractions {
			w, h = pw.comp.Width, pw.comp.Height
		}
		return []float64{float64(w), float64(h), float64(h), 1}[min(i, maxDimensions-1)]
	}
	if p.Match == matchAnchor && fractions && i < 2 {
		return []float64{float64(w), float64(h)}[i]
	}
	return 1
}

// list is a list of items of one size, such as keyframes and the points of paths.
func list(items [][]byte) rifx.Chunk {
	head := make([]byte, 52)
	binary.BigEndian.PutUint16(head[10:], uint16(len(items)))
	head[23] = 4
	var body []byte
	for _, it := range items {
		binary.BigEndian.PutUint16(head[18:], uint16(len(it)))
		body = append(body, it...)
	}
	return rifx.List("list", rifx.Leaf("lhd3", head), rifx.Leaf("ldat", body))
}

// numberKey is one keyframe. Its layout depends on the dimensions, and on whether the value is a position or a colour.
func (pw propertyWriter) numberKey(p *Property, k Keyframe, n int) ([]byte, error) {
	v, ok := k.Value.(Numbers)
	if !ok || len(v) != n {
		return nil, fmt.Errorf("the keyframe at %g s has another kind of value than the first", k.Time)
	}
	value := pw.stored(p, v)
	if p.Spatial || p.Color {
		b := pw.keyHead(k, 56+24*n)
		putEase(b[24:], k, 0, 1)
		floats(b[56:], value)
		floats(b[56+8*n:], k.TangentIn)
		floats(b[56+16*n:], k.TangentOut)
		return b, nil
	}
	b := pw.keyHead(k, 8+40*n)
	floats(b[8:], value)
	for i := range n {
		for j, side := range [][]Ease{k.InEase, k.OutEase} {
			e := easeAt(side, i)
			putFloat(b[8+8*(n+2*n*j+i):], e.Speed/pw.unit(p, i))
			putFloat(b[8+8*(2*n+2*n*j+i):], e.Influence)
		}
	}
	return b, nil
}

// bareKey is a keyframe of a value that is stored elsewhere: paths and texts.
func (pw propertyWriter) bareKey(k Keyframe) []byte {
	b := pw.keyHead(k, 64)
	putEase(b[24:], k, 0, 1)
	return b
}

func (pw propertyWriter) keyHead(k Keyframe, size int) []byte {
	b := make([]byte, size)
	binary.BigEndian.PutUint32(b, uint32(int32(math.Round(k.Time*float64(pw.second)))))
	b[4], b[5], b[6] = byte(k.In), byte(k.Out), byte(k.Label)
	if k.Roving {
		b[7] |= 1 << 5
	}
	if k.AutoBezier {
		b[7] |= 1 << 4
	}
	if k.Continuous {
		b[7] |= 1 << 3
	}
	return b
}

// putEase writes the single ease of each side that spatial and non-numeric values have.
func putEase(b []byte, k Keyframe, i int, unit float64) {
	in, out := easeAt(k.InEase, i), easeAt(k.OutEase, i)
	floats(b, []float64{in.Speed / unit, in.Influence, out.Speed / unit, out.Influence})
}

func easeAt(side []Ease, i int) Ease {
	switch {
	case i < len(side):
		return side[i]
	case len(side) > 0:
		return side[0]
	}
	return Ease{}
}

func floats(b []byte, v []float64) {
	for i, f := range v {
		putFloat(b[8*i:], f)
	}
}

func putFloat(b []byte, f float64) { binary.BigEndian.PutUint64(b, math.Float64bits(f)) }

// paths writes the path of a mask or a shape.
func (pw propertyWriter) paths(p *Property, values []Value) (rifx.Chunk, error) {
	base := pw.base(p, 1, true)
	if len(p.Keys) > 0 {
		keys := make([][]byte, len(p.Keys))
		for i, k := range p.Keys {
			keys[i] = pw.bareKey(k)
		}
		base = append(base, list(keys))
	}
	shapes := make([]rifx.Chunk, len(values))
	for i, v := range values {
		path, ok := v.(*Path)
		if !ok || len(path.Vertices) == 0 {
			return rifx.Chunk{}, errors.New("a path without vertices can't be written")
		}
		shapes[i] = pw.path(p, path)
	}
	return rifx.List("om-s", rifx.List("tdbs", append(base, expression(p)...)...), rifx.List("omks", shapes...)), nil
}

// path writes one path: its box, and its points as fractions of the box.
func (pw propertyWriter) path(of *Property, p *Path) rifx.Chunk {
	n := len(p.Vertices)
	points := make([][2]float64, 0, 3*n)
	for i, v := range p.Vertices {
		next := p.Vertices[(i+1)%n]
		points = append(points, [2]float64{v.X, v.Y}, [2]float64{v.X + v.OutX, v.Y + v.OutY}, [2]float64{next.X + next.InX, next.Y + next.InY})
	}
	left, top, right, bottom := points[0][0], points[0][1], points[0][0], points[0][1]
	for _, q := range points {
		left, right = math.Min(left, q[0]), math.Max(right, q[0])
		top, bottom = math.Min(top, q[1]), math.Max(bottom, q[1])
	}
	unitX, unitY := 1.0, 1.0
	if w, h := pw.p.SourceSize(pw.layer); of.Match == "ADBE Mask Shape" && w > 0 && h > 0 {
		unitX, unitY = float64(w), float64(h)
	}
	head := make([]byte, 24)
	if !p.Closed {
		head[3] |= 1 << 3
	}
	for i, v := range [4]float64{left / unitX, top / unitY, right / unitX, bottom / unitY} {
		binary.BigEndian.PutUint32(head[4+4*i:], math.Float32bits(float32(v)))
	}
	items := make([][]byte, len(points))
	for i, q := range points {
		b := binary.BigEndian.AppendUint32(nil, math.Float32bits(float32(fraction(q[0], left, right))))
		items[i] = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(fraction(q[1], top, bottom))))
	}
	parts := []rifx.Chunk{rifx.Leaf("shph", head), list(items)}
	if len(p.Feather) > 0 {
		parts = append(parts, rifx.Leaf("fth5", feather(p.Feather)))
	}
	return rifx.List("shap", parts...)
}

func feather(points []FeatherPoint) (out []byte) {
	for _, p := range points {
		kind := uint32(0)
		if p.Hold {
			kind = fth5Hold
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(p.Segment))
		out = binary.LittleEndian.AppendUint32(out, kind)
		out = binary.BigEndian.AppendUint64(out, math.Float64bits(p.At))
		out = binary.BigEndian.AppendUint64(out, math.Float64bits(p.Radius))
		out = binary.BigEndian.AppendUint32(out, math.Float32bits(float32(p.Corner)))
		out = binary.BigEndian.AppendUint32(out, math.Float32bits(float32(p.Tension)))
	}
	return out
}

func fraction(v, from, to float64) float64 {
	if to == from {
		return 0
	}
	return (v - from) / (to - from)
}
