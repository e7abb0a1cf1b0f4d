package aep

import "strconv"

// shapeGroups are the groups of shape layers.
func shapeGroups() map[string][]entry {
	direction := number("ADBE Vector Shape Direction", "Shape Direction", 1)
	blend := number("ADBE Vector Blend Mode", "Blend Mode", 1)
	order := number("ADBE Vector Composite Order", "Composite", 1)
	rule := number("ADBE Vector Fill Rule", "Fill Rule", 1)
	m := map[string][]entry{
		"ADBE Vectors Group": contentEntries(),
		matchContents:        contentEntries(),
		"ADBE Vector Group": {
			blend, group("ADBE Vectors Group", "Contents"), group("ADBE Vector Transform Group", "Transform"),
			namedGroup("ADBE Vector Materials Group", "Material Options"),
		},
		"ADBE Vector Transform Group": {
			point("ADBE Vector Anchor", "Anchor Point", 0, 0), point("ADBE Vector Position", "Position", 0, 0),
			number("ADBE Vector Scale", "Scale", 100, 100), number("ADBE Vector Skew", "Skew", 0),
			number("ADBE Vector Skew Axis", "Skew Axis", 0), number("ADBE Vector Rotation", "Rotation", 0),
			number("ADBE Vector Group Opacity", "Opacity", 100),
		},
		"ADBE Vector Shape - Group": {direction, named("ADBE Vector Shape", "Path")},
		"ADBE Vector Shape - Rect": {
			direction, number("ADBE Vector Rect Size", "Size", 100, 100),
			point("ADBE Vector Rect Position", "Position", 0, 0), number("ADBE Vector Rect Roundness", "Roundness", 0),
		},
		"ADBE Vector Shape - Ellipse": {
			direction, number("ADBE Vector Ellipse Size", "Size", 100, 100),
			point("ADBE Vector Ellipse Position", "Position", 0, 0),
		},
		"ADBE Vector Shape - Star": {
			direction, number("ADBE Vector Star Type", "Type", 1), number("ADBE Vector Star Points", "Points", 5),
			point("ADBE Vector Star Position", "Position", 0, 0), number("ADBE Vector Star Rotation", "Rotation", 0),
			number("ADBE Vector Star Inner Radius", "Inner Radius", 50),
			number("ADBE Vector Star Outer Radius", "Outer Radius", 100),
			number("ADBE Vector Star Inner Roundess", "Inner Roundness", 0),
			number("ADBE Vector Star Outer Roundess", "Outer Roundness", 0),
		},
		"ADBE Vector Graphic - Fill": {
			blend, order, rule, rgb("ADBE Vector Fill Color", "Color", 1, 0, 0),
			number("ADBE Vector Fill Opacity", "Opacity", 100),
		},
		"ADBE Vector Graphic - Stroke": append([]entry{
			blend, order, rgb("ADBE Vector Stroke Color", "Color", 1, 1, 1),
			number("ADBE Vector Stroke Opacity", "Opacity", 100),
		}, strokeEntries()...),
		"ADBE Vector Graphic - G-Fill":   append(append([]entry{blend, order, rule}, rampEntries()...), number("ADBE Vector Fill Opacity", "Opacity", 100)),
		"ADBE Vector Graphic - G-Stroke": append(append(append([]entry{blend, order}, rampEntries()...), number("ADBE Vector Stroke Opacity", "Opacity", 100)), strokeEntries()...),
		"ADBE Vector Stroke Dashes":      dashEntries(),
		"ADBE Vector Stroke Taper": {
			named("ADBE Vector Taper Length Units", "Length Units"),
			number("ADBE Vector Taper Start Length", "Start Length", 0), number("ADBE Vector Taper End Length", "End Length", 0),
			number("ADBE Vector Taper Start Width", "Start Width", 0), number("ADBE Vector Taper End Width", "End Width", 0),
			number("ADBE Vector Taper Start Ease", "Start Ease", 0), number("ADBE Vector Taper End Ease", "End Ease", 0),
		},
		"ADBE Vector Stroke Wave": {
			number("ADBE Vector Taper Wave Amount", "Amount", 0), named("ADBE Vector Taper Wave Units", "Units"),
			number("ADBE Vector Taper Wavelength", "Wavelength", 100), number("ADBE Vector Taper Wave Phase", "Phase", 0),
		},
	}
	for match, entries := range filterGroups() {
		m[match] = entries
	}
	return m
}

// contentEntries are the members that a shape's contents may have.
func contentEntries() []entry {
	return []entry{
		namedGroup("ADBE Vector Group", "Group"), namedGroup("ADBE Vector Shape - Rect", "Rectangle Path"),
		namedGroup("ADBE Vector Shape - Ellipse", "Ellipse Path"), namedGroup("ADBE Vector Shape - Star", "Polystar Path"),
		namedGroup("ADBE Vector Shape - Group", "Path"), namedGroup("ADBE Vector Graphic - Fill", "Fill"),
		namedGroup("ADBE Vector Graphic - Stroke", "Stroke"), namedGroup("ADBE Vector Graphic - G-Fill", "Gradient Fill"),
		namedGroup("ADBE Vector Graphic - G-Stroke", "Gradient Stroke"), namedGroup("ADBE Vector Filter - Merge", "Merge Paths"),
		namedGroup("ADBE Vector Filter - Offset", "Offset Paths"), namedGroup("ADBE Vector Filter - PB", "Pucker & Bloat"),
		namedGroup("ADBE Vector Filter - Repeater", "Repeater"), namedGroup("ADBE Vector Filter - RC", "Round Corners"),
		namedGroup("ADBE Vector Filter - Trim", "Trim Paths"), namedGroup("ADBE Vector Filter - Twist", "Twist"),
		namedGroup("ADBE Vector Filter - Roughen", "Wiggle Paths"), namedGroup("ADBE Vector Filter - Wiggler", "Wiggle Transform"),
		namedGroup("ADBE Vector Filter - Zigzag", "Zig Zag"),
	}
}

func strokeEntries() []entry {
	return []entry{
		number("ADBE Vector Stroke Width", "Stroke Width", 2), number("ADBE Vector Stroke Line Cap", "Line Cap", 1),
		number("ADBE Vector Stroke Line Join", "Line Join", 1), number("ADBE Vector Stroke Miter Limit", "Miter Limit", 4),
		group("ADBE Vector Stroke Dashes", "Dashes"), namedGroup("ADBE Vector Stroke Taper", "Taper"),
		namedGroup("ADBE Vector Stroke Wave", "Wave"),
	}
}

func rampEntries() []entry {
	return []entry{
		number("ADBE Vector Grad Type", "Type", 1), point("ADBE Vector Grad Start Pt", "Start Point", 0, 0),
		point("ADBE Vector Grad End Pt", "End Point", 100, 0),
		number("ADBE Vector Grad HiLite Length", "Highlight Length", 0),
		number("ADBE Vector Grad HiLite Angle", "Highlight Angle", 0),
		{match: matchGradient, name: "Colors", def: &Gradient{}},
	}
}

// defaultGradient is the gradient of a new gradient fill: white to black, opaque.
func defaultGradient() *Gradient {
	return &Gradient{
		Colors: []ColorStop{{0, 0.5, [3]float64{1, 1, 1}}, {1, 0.5, [3]float64{0, 0, 0}}},
		Alphas: []AlphaStop{{0, 0.5, 1}, {1, 0.5, 1}},
	}
}

func dashEntries() []entry {
	var out []entry
	for i := 1; i <= 3; i++ {
		n := strconv.Itoa(i)
		dash, gap := "Dash", "Gap"
		if i > 1 {
			dash, gap = "Dash "+n, "Gap "+n
		}
		out = append(out, named("ADBE Vector Stroke Dash "+n, dash), named("ADBE Vector Stroke Gap "+n, gap))
	}
	return append(out, named("ADBE Vector Stroke Offset", "Offset"))
}

// filterGroups are the path operators. Their defaults are for values that a file leaves out; After Effects writes down
// the values that a new repeater or the like starts with.
func filterGroups() map[string][]entry {
	return map[string][]entry{
		"ADBE Vector Filter - Merge":  {number("ADBE Vector Merge Type", "Mode", 1)},
		"ADBE Vector Filter - Offset": {number("ADBE Vector Offset Amount", "Amount", 10), number("ADBE Vector Offset Line Join", "Line Join", 1), number("ADBE Vector Offset Miter Limit", "Miter Limit", 4), named("ADBE Vector Offset Copies", "Copies"), named("ADBE Vector Offset Copy Offset", "Copy Offset")},
		"ADBE Vector Filter - PB":     {number("ADBE Vector PuckerBloat Amount", "Amount", 10)},
		"ADBE Vector Filter - RC":     {number("ADBE Vector RoundCorner Radius", "Radius", 10)},
		"ADBE Vector Filter - Trim": {
			number("ADBE Vector Trim Start", "Start", 0), number("ADBE Vector Trim End", "End", 100),
			number("ADBE Vector Trim Offset", "Offset", 0), number("ADBE Vector Trim Type", "Trim Multiple Shapes", 1),
		},
		"ADBE Vector Filter - Twist":  {number("ADBE Vector Twist Angle", "Angle", 10), point("ADBE Vector Twist Center", "Center", 0, 0)},
		"ADBE Vector Filter - Zigzag": {number("ADBE Vector Zigzag Size", "Size", 5), number("ADBE Vector Zigzag Detail", "Ridges per segment", 10), number("ADBE Vector Zigzag Points", "Points", 1)},
		"ADBE Vector Filter - Repeater": {
			number("ADBE Vector Repeater Copies", "Copies", 1), number("ADBE Vector Repeater Offset", "Offset", 0),
			number("ADBE Vector Repeater Order", "Composite", 1), group("ADBE Vector Repeater Transform", "Transform"),
		},
		"ADBE Vector Repeater Transform": {
			point("ADBE Vector Repeater Anchor", "Anchor Point", 0, 0), point("ADBE Vector Repeater Position", "Position", 0, 0),
			number("ADBE Vector Repeater Scale", "Scale", 100, 100), number("ADBE Vector Repeater Rotation", "Rotation", 0),
			number("ADBE Vector Repeater Opacity 1", "Start Opacity", 100),
			number("ADBE Vector Repeater Opacity 2", "End Opacity", 100),
		},
		"ADBE Vector Filter - Roughen": {
			number("ADBE Vector Roughen Size", "Size", 10), number("ADBE Vector Roughen Detail", "Detail", 10),
			number("ADBE Vector Roughen Points", "Points", 1), number("ADBE Vector Temporal Freq", "Wiggles/Second", 2),
			number("ADBE Vector Correlation", "Correlation", 50), number("ADBE Vector Temporal Phase", "Temporal Phase", 0),
			number("ADBE Vector Spatial Phase", "Spatial Phase", 0), number("ADBE Vector Random Seed", "Random Seed", 0),
		},
		"ADBE Vector Filter - Wiggler": {
			number("ADBE Vector Xform Temporal Freq", "Wiggles/Second", 2), number("ADBE Vector Correlation", "Correlation", 50),
			number("ADBE Vector Temporal Phase", "Temporal Phase", 0), number("ADBE Vector Spatial Phase", "Spatial Phase", 0),
			number("ADBE Vector Random Seed", "Random Seed", 0), group("ADBE Vector Wiggler Transform", "Transform"),
		},
		"ADBE Vector Wiggler Transform": {
			point("ADBE Vector Wiggler Anchor", "Anchor Point", 0, 0), point("ADBE Vector Wiggler Position", "Position", 0, 0),
			number("ADBE Vector Wiggler Scale", "Scale", 0, 0), number("ADBE Vector Wiggler Rotation", "Rotation", 0),
		},
	}
}
