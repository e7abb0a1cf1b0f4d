package expression

import (
	"math"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// sampleImage is the colour of a layer around a point, before or after its masks and effects. Known without drawing, and so given, is that
// of solids and of what lies outside a layer.
func (m *Machine) sampleImage(n *layerNode, c goja.FunctionCall) any {
	point, _ := m.floats(c.Argument(0), "sampleImage")
	radius := []float64{0.5, 0.5}
	if len(c.Arguments) > 1 {
		radius, _ = m.floats(c.Argument(1), "sampleImage")
	}
	it := m.host.Project.Item(n.l.Source)
	solid := n.l.Kind == aep.LayerAV && !n.l.Adjustment && it != nil && it.Footage != nil && it.Footage.Kind == aep.FootageSolid
	if !solid || m.flag(c, 2, true) && n.processed() {
		m.throw("sampleImage is not available in this renderer for the layer %q: only for solids without masks and effects", m.host.Project.DisplayName(n.l))
	}
	share := overlap(element(point, 0), math.Abs(pick(radius, 0)), float64(it.Footage.Width)) *
		overlap(element(point, 1), math.Abs(pick(radius, 1)), float64(it.Footage.Height))
	rgb := it.Footage.Color
	return []float64{rgb[0] * share, rgb[1] * share, rgb[2] * share, share}
}

// processed tells whether masks or effects change the layer's picture.
func (n *layerNode) processed() bool {
	for _, match := range []string{"ADBE Mask Parade", "ADBE Effect Parade"} {
		group := n.root().p.Child(match)
		if group == nil {
			continue
		}
		for _, p := range group.Children {
			if p.Enabled && (match == "ADBE Mask Parade" || n.l.EffectsEnabled && !controls(p.Match)) {
				return true
			}
		}
	}
	return false
}

// controls tells whether an effect only holds values for expressions.
func controls(match string) bool {
	switch match {
	case "ADBE Slider Control", "ADBE Angle Control", "ADBE Checkbox Control", "ADBE Color Control", "ADBE Point Control",
		"ADBE Point3D Control", "ADBE Layer Control", "ADBE Dropdown Control":
		return true
	}
	return strings.HasPrefix(match, "Pseudo/")
}

// overlap is how much of the stretch around at lies between 0 and size.
func overlap(at, radius, size float64) float64 {
	if radius == 0 {
		radius = 0.5
	}
	return max(0, min(at+radius, size)-max(at-radius, 0)) / (2 * radius)
}
