package aep

// styleGroups are the layer styles. All of them stand in a layer's file; only those that are on are completed.
func styleGroups() map[string][]entry {
	mode := func(style string, def float64) entry { return number(style+"/mode2", "Blend Mode", def) }
	opacity := func(style string, def float64) entry { return number(style+"/opacity", "Opacity", def) }
	return map[string][]entry{
		matchLayerStyles: {
			namedGroup("ADBE Blend Options Group", "Blending Options"),
			namedGroup("dropShadow/enabled", "Drop Shadow"), namedGroup("innerShadow/enabled", "Inner Shadow"),
			namedGroup("outerGlow/enabled", "Outer Glow"), namedGroup("innerGlow/enabled", "Inner Glow"),
			namedGroup("bevelEmboss/enabled", "Bevel and Emboss"), namedGroup("chromeFX/enabled", "Satin"),
			namedGroup("solidFill/enabled", "Color Overlay"), namedGroup("gradientFill/enabled", "Gradient Overlay"),
			namedGroup("patternFill/enabled", "Pattern Overlay"), namedGroup("frameFX/enabled", "Stroke"),
		},
		"ADBE Blend Options Group": {
			named("ADBE Global Angle2", "Global Light Angle"), named("ADBE Global Altitude2", "Global Light Altitude"),
			namedGroup("ADBE Adv Blend Group", "Advanced Blending"),
		},
		"dropShadow/enabled": {
			mode("dropShadow", 5), rgb("dropShadow/color", "Color", 0, 0, 0), opacity("dropShadow", 75),
			number("dropShadow/useGlobalAngle", "Use Global Light", 0), number("dropShadow/localLightingAngle", "Angle", 120),
			number("dropShadow/distance", "Distance", 5), number("dropShadow/chokeMatte", "Spread", 0),
			number("dropShadow/blur", "Size", 5), number("dropShadow/noise", "Noise", 0),
			number("dropShadow/layerConceals", "Layer Knocks Out Drop Shadow", 1),
		},
		"innerShadow/enabled": {
			mode("innerShadow", 5), rgb("innerShadow/color", "Color", 0, 0, 0), opacity("innerShadow", 75),
			number("innerShadow/useGlobalAngle", "Use Global Light", 0), number("innerShadow/localLightingAngle", "Angle", 120),
			number("innerShadow/distance", "Distance", 5), number("innerShadow/chokeMatte", "Choke", 0),
			number("innerShadow/blur", "Size", 5), number("innerShadow/noise", "Noise", 0),
		},
		"outerGlow/enabled": {
			mode("outerGlow", 11), opacity("outerGlow", 75), number("outerGlow/noise", "Noise", 0),
			named("outerGlow/AEColorChoice", "Color Type"), rgb("outerGlow/color", "Color", 1, 1, 190.0/255),
			number("outerGlow/glowTechnique", "Technique", 1), number("outerGlow/chokeMatte", "Spread", 0),
			number("outerGlow/blur", "Size", 5),
		},
		"innerGlow/enabled": {
			mode("innerGlow", 11), opacity("innerGlow", 75), number("innerGlow/noise", "Noise", 0),
			named("innerGlow/AEColorChoice", "Color Type"), rgb("innerGlow/color", "Color", 1, 1, 190.0/255),
			number("innerGlow/glowTechnique", "Technique", 1), number("innerGlow/innerGlowSource", "Source", 2),
			number("innerGlow/chokeMatte", "Choke", 0), number("innerGlow/blur", "Size", 5),
		},
		"solidFill/enabled": {
			mode("solidFill", 1), rgb("solidFill/color", "Color", 1, 0, 0), opacity("solidFill", 100),
		},
		"frameFX/enabled": {
			mode("frameFX", 1), rgb("frameFX/color", "Color", 1, 0, 0), number("frameFX/size", "Size", 3),
			opacity("frameFX", 100), number("frameFX/style", "Position", 1),
		},
	}
}
