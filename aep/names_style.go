package aep

// styleGroups are the layer styles. A layer's file has all of them; only those that are on are completed.
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
		"ADBE Adv Blend Group": {
			number("ADBE Layer Fill Opacity2", "Fill Opacity", 100), number("ADBE R Channel Blend", "Red", 1),
			number("ADBE G Channel Blend", "Green", 1), number("ADBE B Channel Blend", "Blue", 1),
			number("ADBE Blend Interior", "Blend Interior Styles as Group", 0),
			number("ADBE Blend Ranges", "Use Blend Ranges from Source", 1),
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
			number("outerGlow/AEColorChoice", "Color Type", 1), rgb("outerGlow/color", "Color", 1, 1, 190.0/255),
			{match: "outerGlow/gradient", name: "Colors", rare: true}, number("outerGlow/gradientSmoothness", "Gradient Smoothness", 100),
			number("outerGlow/glowTechnique", "Technique", 1), number("outerGlow/chokeMatte", "Spread", 0),
			number("outerGlow/blur", "Size", 5), number("outerGlow/inputRange", "Range", 50), number("outerGlow/shadingNoise", "Jitter", 0),
		},
		"innerGlow/enabled": {
			mode("innerGlow", 11), opacity("innerGlow", 75), number("innerGlow/noise", "Noise", 0),
			number("innerGlow/AEColorChoice", "Color Type", 1), rgb("innerGlow/color", "Color", 1, 1, 190.0/255),
			{match: "innerGlow/gradient", name: "Colors", rare: true}, number("innerGlow/gradientSmoothness", "Gradient Smoothness", 100),
			number("innerGlow/glowTechnique", "Technique", 1), number("innerGlow/innerGlowSource", "Source", 1),
			number("innerGlow/chokeMatte", "Choke", 0), number("innerGlow/blur", "Size", 5),
			number("innerGlow/inputRange", "Range", 50), number("innerGlow/shadingNoise", "Jitter", 0),
		},
		"bevelEmboss/enabled": {
			number("bevelEmboss/bevelStyle", "Style", 2), number("bevelEmboss/bevelTechnique", "Technique", 1),
			number("bevelEmboss/strengthRatio", "Depth", 100), number("bevelEmboss/bevelDirection", "Direction", 1),
			number("bevelEmboss/blur", "Size", 5), number("bevelEmboss/softness", "Soften", 0),
			number("bevelEmboss/useGlobalAngle", "Use Global Light", 0),
			number("bevelEmboss/localLightingAngle", "Angle", 120),
			number("bevelEmboss/localLightingAltitude", "Altitude", 30),
			number("bevelEmboss/highlightMode", "Highlight Mode", 11),
			rgb("bevelEmboss/highlightColor", "Highlight Color", 1, 1, 1),
			number("bevelEmboss/highlightOpacity", "Highlight Opacity", 75),
			number("bevelEmboss/shadowMode", "Shadow Mode", 5), rgb("bevelEmboss/shadowColor", "Shadow Color", 0, 0, 0),
			number("bevelEmboss/shadowOpacity", "Shadow Opacity", 75),
		},
		"chromeFX/enabled": {
			mode("chromeFX", 5), rgb("chromeFX/color", "Color", 0, 0, 0), opacity("chromeFX", 50),
			number("chromeFX/localLightingAngle", "Angle", 19), number("chromeFX/distance", "Distance", 11),
			number("chromeFX/blur", "Size", 14), number("chromeFX/invert", "Invert", 1),
		},
		"gradientFill/enabled": {
			mode("gradientFill", 1), opacity("gradientFill", 100),
			{match: "gradientFill/gradient", name: "Colors", def: &Gradient{}},
			number("gradientFill/gradientSmoothness", "Gradient Smoothness", 100),
			number("gradientFill/angle", "Angle", 90), number("gradientFill/type", "Style", 1),
			number("gradientFill/reverse", "Reverse", 0), number("gradientFill/align", "Align with Layer", 1),
			number("gradientFill/scale", "Scale", 100), point("gradientFill/offset", "Offset", 0, 0),
		},
		"solidFill/enabled": {
			mode("solidFill", 1), rgb("solidFill/color", "Color", 1, 0, 0), opacity("solidFill", 100),
		},
		"patternFill/enabled": {
			mode("patternFill", 1), opacity("patternFill", 100), number("patternFill/align", "Link with Layer", 1),
			number("patternFill/scale", "Scale", 100), point("patternFill/phase", "Offset", 0, 0),
		},
		"frameFX/enabled": {
			mode("frameFX", 1), rgb("frameFX/color", "Color", 1, 0, 0), number("frameFX/size", "Size", 3),
			opacity("frameFX", 100), number("frameFX/style", "Position", 1),
		},
	}
}
