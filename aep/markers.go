package aep

import "overcrank/aep/rifx"

const (
	nmhdFlags     = 3   // u8
	nmhdDuration  = 8   // u32
	nmhdPerSecond = 600 // ticks of a marker's duration

	nmhdProtectedBit = 1 // of nmhdFlags

	markerMatch = "ADBE Marker"
)

// markers reads the markers of a layer, in seconds of the composition. A composition's markers are in a layer of their
// own.
func (r *reader) markers(tree *rifx.Chunk, scope *layerScope) []Marker {
	p := scope.layer.Props.Child(markerMatch)
	if p == nil || len(p.Keys) == 0 {
		return nil
	}
	var out []Marker
	records := markerRecords(tree)
	for i, k := range p.Keys {
		m := Marker{Time: scope.start + k.Time*scope.stretch/100}
		if i < len(records) {
			r.marker(&m, records[i])
		}
		out = append(out, m)
	}
	return out
}

// marker reads what a marker says: its texts are in a fixed order, the names and values of parameters last.
func (r *reader) marker(m *Marker, record *rifx.Chunk) {
	head := body(record.Find("NmHd").Bytes())
	m.Duration = float64(head.u32(nmhdDuration)) / nmhdPerSecond
	m.Protected = head.bit(nmhdFlags, nmhdProtectedBit)
	fields := []*string{&m.Comment, &m.Chapter, &m.URL, &m.FrameTarget, &m.CuePoint}
	var rest []string
	for i := range record.Children {
		c := &record.Children[i]
		switch {
		case c.ID != "Utf8":
		case len(fields) > 0:
			*fields[0] = r.text(c)
			fields = fields[1:]
		default:
			rest = append(rest, r.text(c))
		}
	}
	for i := 0; i+1 < len(rest); i += 2 {
		m.Parameters = append(m.Parameters, [2]string{rest[i], rest[i+1]})
	}
}

func markerRecords(tree *rifx.Chunk) []*rifx.Chunk {
	list := tree.Find("mrst").Find("mrky")
	if list == nil {
		return nil
	}
	var out []*rifx.Chunk
	for i := range list.Children {
		if list.Children[i].ID == "Nmrd" {
			out = append(out, &list.Children[i])
		}
	}
	return out
}
