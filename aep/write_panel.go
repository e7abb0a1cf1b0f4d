package aep

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"overcrank/aep/rifx"
)

// panelOf is the Essential Graphics panel of a composition in its newest form.
func panelOf(fields []Controller) (rifx.Chunk, error) {
	var list []rifx.Chunk
	for _, f := range fields {
		c, err := f.chunk()
		if err != nil {
			return rifx.Chunk{}, fmt.Errorf("field %q of its panel: %w", f.Name, err)
		}
		list = append(list, c)
	}
	return rifx.List("CIF3", list...), nil
}

func (c Controller) chunk() (rifx.Chunk, error) {
	value, err := c.valueChunks()
	if err != nil {
		return rifx.Chunk{}, err
	}
	path, err := c.pathJSON()
	if err != nil {
		return rifx.Chunk{}, err
	}
	chunks := append([]rifx.Chunk{
		rifx.List("CpS2", rifx.Utf8(c.Name), rifx.Utf8(preferred)), rifx.Utf8(c.ID), rifx.Leaf("CTyp", be32(uint32(c.Type))),
	}, value...)
	return rifx.List("CCtl", append(chunks, rifx.List("CPrp", rifx.Leaf("CCId", be32(c.Comp)), rifx.Leaf("CLId", be32(c.Layer)), rifx.Utf8(path)))...), nil
}

// pathJSON is the path to the driven property, as controllers have it.
func (c Controller) pathJSON() (string, error) {
	const none = 1<<32 - 1
	steps := map[string]any{}
	for i, match := range c.Path {
		index := none
		if i < len(c.Indexes) && c.Indexes[i] > 0 {
			index = c.Indexes[i] - 1
		}
		steps[strconv.Itoa(i)] = map[string]any{"index": index, "matchName": match}
	}
	b, err := json.Marshal(steps)
	return string(b), err
}

// valueChunks are the value of a field, with its range or its labels.
func (c Controller) valueChunks() ([]rifx.Chunk, error) {
	switch v := c.Value.(type) {
	case nil:
		return c.labels(), nil
	case bool:
		b := []byte{0}
		if v {
			b[0] = 1
		}
		return []rifx.Chunk{rifx.Leaf("CVal", b)}, nil
	case float64:
		if c.Type == fieldDropdown {
			return append([]rifx.Chunk{rifx.Leaf("CVal", be32(uint32(v)))}, c.labels()...), nil
		}
		return []rifx.Chunk{rifx.Leaf("CVal", be64s(v)), rifx.Leaf("Smin", be64s(c.Min)), rifx.Leaf("Smax", be64s(c.Max))}, nil
	case []float64:
		if c.Type == fieldColor {
			var b []byte
			for _, f := range v {
				b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(f)))
			}
			return []rifx.Chunk{rifx.Leaf("CVal", b)}, nil
		}
		return []rifx.Chunk{rifx.Leaf("CVal", be64s(v...)), rifx.Leaf("CDim", be32(uint32(len(v))))}, nil
	case string:
		return []rifx.Chunk{rifx.Utf8(v)}, nil
	}
	return nil, fmt.Errorf("a value of type %T can't be written", c.Value)
}

// labels are the choices of a dropdown, or the members of a group.
func (c Controller) labels() []rifx.Chunk {
	if len(c.Options) == 0 {
		return nil
	}
	var out []rifx.Chunk
	for _, o := range c.Options {
		out = append(out, rifx.Utf8(o))
	}
	return []rifx.Chunk{rifx.List("StVc", out...)}
}

func be64s(v ...float64) []byte {
	var b []byte
	for _, f := range v {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}

// overrideList tells which fields the values are of that a layer sets for itself.
func overrideList(g *Property) rifx.Chunk {
	values := g.leaves(nil)
	out := []rifx.Chunk{rifx.Leaf("CprC", be32(uint32(len(values))))}
	for _, v := range values {
		out = append(out, rifx.List("CPrp", rifx.Utf8(v.Field)))
	}
	return rifx.List("OvG2", out...)
}
