package aep

// textGroups are the groups of text layers.
func textGroups() map[string][]entry {
	return map[string][]entry{
		matchText: {
			named(matchDocument, "Source Text"), group("ADBE Text Path Options", "Path Options"),
			group("ADBE Text More Options", "More Options"), group("ADBE Text Animators", "Animators"),
		},
		"ADBE Text Path Options": {
			number("ADBE Text Path", "Path", 0), number("ADBE Text Reverse Path", "Reverse Path", 0),
			number("ADBE Text Perpendicular To Path", "Perpendicular To Path", 1),
			number("ADBE Text Force Align Path", "Force Alignment", 0),
			number("ADBE Text First Margin", "First Margin", 0), number("ADBE Text Last Margin", "Last Margin", 0),
		},
		"ADBE Text More Options": {
			number("ADBE Text Anchor Point Option", "Anchor Point Grouping", 1),
			number("ADBE Text Anchor Point Align", "Grouping Alignment", 0, 0),
			number("ADBE Text Render Order", "Fill & Stroke", 1),
			number("ADBE Text Character Blend Mode", "Inter-Character Blending", 1),
		},
		"ADBE Text Animators": {namedGroup("ADBE Text Animator", "Animator")},
		"ADBE Text Animator": {
			group("ADBE Text Selectors", "Selectors"), group("ADBE Text Animator Properties", "Properties"),
		},
		"ADBE Text Selectors": {
			namedGroup("ADBE Text Selector", "Range Selector"), namedGroup("ADBE Text Wiggly Selector", "Wiggly Selector"),
			namedGroup("ADBE Text Expressible Selector", "Expression Selector"),
		},
		"ADBE Text Selector": {
			number("ADBE Text Percent Start", "Start", 0), number("ADBE Text Percent End", "End", 100),
			number("ADBE Text Percent Offset", "Offset", 0),
			number("ADBE Text Index Start", "Start", 0), {match: "ADBE Text Index End", name: "End"}, // until it is set, the end of the text
			number("ADBE Text Index Offset", "Offset", 0), group("ADBE Text Range Advanced", "Advanced"),
		},
		"ADBE Text Range Advanced": {
			number("ADBE Text Range Units", "Units", 1), number("ADBE Text Range Type2", "Based On", 1),
			number("ADBE Text Selector Mode", "Mode", 1), number("ADBE Text Selector Max Amount", "Amount", 100),
			number("ADBE Text Range Shape", "Shape", 1), number("ADBE Text Selector Smoothness", "Smoothness", 100),
			number("ADBE Text Levels Max Ease", "Ease High", 0), number("ADBE Text Levels Min Ease", "Ease Low", 0),
			number("ADBE Text Randomize Order", "Randomize Order", 0), number("ADBE Text Random Seed", "Random Seed", 0),
		},
		"ADBE Text Wiggly Selector": {
			number("ADBE Text Selector Mode", "Mode", 1), number("ADBE Text Wiggly Max Amount", "Max Amount", 100),
			number("ADBE Text Wiggly Min Amount", "Min Amount", -100), number("ADBE Text Range Type2", "Based On", 1),
			number("ADBE Text Temporal Freq", "Wiggles/Second", 2),
			number("ADBE Text Character Correlation", "Correlation", 50),
			number("ADBE Text Temporal Phase", "Temporal Phase", 0), number("ADBE Text Spatial Phase", "Spatial Phase", 0),
			number("ADBE Text Wiggly Lock Dim", "Lock Dimensions", 0),
			number("ADBE Text Wiggly Random Seed", "Random Seed", 0),
		},
		"ADBE Text Expressible Selector": {
			number("ADBE Text Range Type2", "Based On", 1),
			number("ADBE Text Expressible Amount", "Amount", 100, 100, 100),
		},
		"ADBE Text Animator Properties": animatorEntries(),
	}
}

// animatorEntries are the properties that an animator may have; people add the ones they need.
func animatorEntries() []entry {
	return []entry{
		named("ADBE Text Anchor Point 3D", "Anchor Point"), named("ADBE Text Position 3D", "Position"),
		named("ADBE Text Scale 3D", "Scale"), named("ADBE Text Skew", "Skew"), named("ADBE Text Skew Axis", "Skew Axis"),
		named("ADBE Text Rotation X", "X Rotation"), named("ADBE Text Rotation Y", "Y Rotation"),
		named("ADBE Text Rotation", "Rotation"), named("ADBE Text Opacity", "Opacity"),
		named("ADBE Text Fill Opacity", "Fill Opacity"), named("ADBE Text Fill Color", "Fill Color"),
		named("ADBE Text Fill Hue", "Fill Hue"), named("ADBE Text Fill Saturation", "Fill Saturation"),
		named("ADBE Text Fill Brightness", "Fill Brightness"), named("ADBE Text Stroke Opacity", "Stroke Opacity"),
		named("ADBE Text Stroke Color", "Stroke Color"), named("ADBE Text Stroke Hue", "Stroke Hue"),
		named("ADBE Text Stroke Saturation", "Stroke Saturation"), named("ADBE Text Stroke Brightness", "Stroke Brightness"),
		named("ADBE Text Stroke Width", "Stroke Width"), named("ADBE Text Line Anchor", "Line Anchor"),
		named("ADBE Text Line Spacing", "Line Spacing"), named("ADBE Text Track Type", "Tracking Type"),
		named("ADBE Text Tracking Amount", "Tracking Amount"), named("ADBE Text Character Change Type", "Character Alignment"),
		named("ADBE Text Character Range", "Character Range"), named("ADBE Text Character Replace", "Character Value"),
		named("ADBE Text Character Offset", "Character Offset"), named("ADBE Text Blur", "Blur"),
	}
}
