package aep

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"overcrank/aep/rifx"
)

// Offsets in the "shph" chunk, the header of a path. A path's points are fractions of the box.
const (
	shphSize  = 20
	shphFlags = 3
	shphBox   = 4 // four f32: left, top, right, bottom

	shphOpenBit = 3
)

// paths reads the path of each keyframe.
func (r *reader) paths(p *Property, list *rifx.Chunk, scope *layerScope) ([]Value, error) {
	width, height := 1.0, 1.0
	if p.Match == matchMaskShape && scope.fractions {
		width, height = scope.width, scope.height
	}
	var out []Value
	for i := range list.Children {
		c := &list.Children[i]
		if c.ID != "shap" {
			continue
		}
		path, err := r.path(c, width, height)
		if err != nil {
			return nil, err
		}
		out = append(out, path)
	}
	return out, nil
}

// path reads one path. Its points are stored as vertex, outgoing tangent, incoming tangent of the next vertex, and so
// on.
func (r *reader) path(c *rifx.Chunk, width, height float64) (*Path, error) {
	head := body(c.Find("shph").Bytes())
	if len(head) < shphSize {
		return nil, fmt.Errorf("%w: the header of a path has %d bytes", ErrBroken, len(head))
	}
	path := &Path{Closed: !head.bit(shphFlags, shphOpenBit)}
	list := c.Find("list")
	if list == nil {
		return path, nil
	}
	points, err := records(list)
	if err != nil {
		return nil, err
	}
	left, top := head.f32(shphBox)*width, head.f32(shphBox+4)*height
	right, bottom := head.f32(shphBox+8)*width, head.f32(shphBox+12)*height
	at := func(i int) (x, y float64) {
		b := points[i%len(points)]
		return left + b.f32(0)*(right-left), top + b.f32(4)*(bottom-top)
	}
	n := len(points) / 3
	if err := r.count(n); err != nil {
		return nil, err
	}
	path.Vertices = make([]Vertex, n)
	for i := range n {
		v := &path.Vertices[i]
		v.X, v.Y = at(3 * i)
		x, y := at(3*i + 1)
		v.OutX, v.OutY = x-v.X, y-v.Y
		x, y = at(3*i + 3*n - 1)
		v.InX, v.InY = x-v.X, y-v.Y
	}
	return path, r.feather(path, c.Find("fth5").Bytes())
}

// Offsets in a feather point of the chunk "fth5". Its whole numbers begin with their lowest byte.
const (
	fth5Size    = 32
	fth5Segment = 0  // u32
	fth5Kind    = 4  // u32
	fth5At      = 8  // f64
	fth5Radius  = 16 // f64
	fth5Corner  = 24 // f32
	fth5Tension = 28 // f32

	fth5Hold = 2 // kind
)

func (r *reader) feather(path *Path, points body) error {
	if err := r.count(len(points) / fth5Size); err != nil {
		return err
	}
	for ; len(points) >= fth5Size; points = points[fth5Size:] {
		path.Feather = append(path.Feather, FeatherPoint{
			Segment: int(binary.LittleEndian.Uint32(points[fth5Segment:])), Hold: binary.LittleEndian.Uint32(points[fth5Kind:]) == fth5Hold,
			At: points.f64(fth5At), Radius: points.f64(fth5Radius), Corner: points.f32(fth5Corner), Tension: points.f32(fth5Tension),
		})
	}
	return nil
}

// gradients reads the gradient of each keyframe.
func (r *reader) gradients(_ *Property, list *rifx.Chunk, _ *layerScope) ([]Value, error) {
	var out []Value
	for i := range list.Children {
		c := &list.Children[i]
		if c.ID != "Utf8" {
			continue
		}
		g, err := decodeGradient(c.Data)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// decodeGradient reads the stops from a gradient's XML: pairs of a key and a value, in which the values of "Stops Color"
// and "Stops Alpha" are arrays of numbers.
func decodeGradient(data []byte) (*Gradient, error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	g := &Gradient{}
	var key, element string
	var numbers []float64
	for {
		tok, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			return g, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: a gradient: %w", ErrBroken, err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			element = t.Name.Local
			if element == "key" {
				key = ""
			}
		case xml.CharData:
			switch element {
			case "key":
				key += string(t)
			case "float", "int":
				if f, err := strconv.ParseFloat(strings.TrimSpace(string(t)), 64); err == nil {
					numbers = append(numbers, finite(f))
				}
			}
		case xml.EndElement:
			element = ""
			switch t.Name.Local {
			case "array":
				g.stop(key, numbers)
				numbers = nil
			case "prop.pair":
				numbers = nil
			}
		}
	}
}

func (g *Gradient) stop(key string, n []float64) {
	switch {
	case key == "Stops Color" && len(n) >= 5:
		g.Colors = append(g.Colors, ColorStop{Offset: n[0], Midpoint: n[1], RGB: [3]float64{n[2], n[3], n[4]}})
	case key == "Stops Alpha" && len(n) >= 3:
		g.Alphas = append(g.Alphas, AlphaStop{Offset: n[0], Midpoint: n[1], Alpha: n[2]})
	}
}
