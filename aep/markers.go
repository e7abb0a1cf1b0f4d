package aep

import "overcrank/aep/rifx"

const (
	nmhdDuration  = 8   // u32
	nmhdPerSecond = 600 // ticks of a marker's duration

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
			m.Duration = float64(body(records[i].Find("NmHd").Bytes()).u32(nmhdDuration)) / nmhdPerSecond
			m.Comment = r.text(records[i].Find("Utf8"))
		}
		out = append(out, m)
	}
	return out
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
