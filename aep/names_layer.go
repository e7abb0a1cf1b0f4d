package aep

// rootEntries are a layer's own groups, in After Effects' order.
func rootEntries(kind LayerKind) []entry {
	marker := entry{match: markerMatch, name: "Marker", rare: true}
	masks, effects := group(matchMasks, "Masks"), group(matchEffects, "Effects")
	transform, styles := group(matchTransform, "Transform"), group(matchLayerStyles, "Layer Styles")
	geometry := named("ADBE Extrsn Options Group", "Geometry Options")
	geometry.group = true
	material := group("ADBE Material Options Group", "Material Options")
	audio := group("ADBE Audio Group", "Audio")
	last := []entry{
		namedGroup("ADBE Data Group", "Data"), namedGroup("ADBE Layer Overrides", "Essential Properties"),
		namedGroup("ADBE Layer Sets", "Sets"), namedGroup("ADBE Source Options Group", "Replace Source"),
	}
	var first []entry
	switch kind {
	case LayerText:
		first = []entry{group(matchText, "Text"), marker, masks, effects, transform, styles, geometry, material, audio}
	case LayerShape:
		first = []entry{marker, group(matchContents, "Contents"), masks, effects, transform, styles, geometry, material, audio}
	case LayerCamera:
		first = []entry{marker, transform, group("ADBE Camera Options Group", "Camera Options")}
	case LayerLight:
		first = []entry{marker, transform, group("ADBE Light Options Group", "Light Options")}
	default:
		remap := number(matchTimeRemap, "Time Remap", 0)
		remap.rare = true
		first = []entry{
			marker, remap, namedGroup("ADBE MTrackers", "Motion Trackers"), masks, effects, transform, styles,
			namedGroup("ADBE Plane Options Group", "Geometry Options"), geometry, material, audio,
		}
	}
	return append(first, last...)
}

// layerGroups are the groups that most layers have. The defaults of anchor point and position depend on the layer.
func layerGroups() map[string][]entry {
	m := map[string][]entry{
		matchTransform: {
			point(matchAnchor, "Anchor Point", 0, 0, 0), point(matchPosition, "Position", 0, 0, 0),
			number("ADBE Position_0", "X Position", 0), number("ADBE Position_1", "Y Position", 0),
			number("ADBE Position_2", "Z Position", 0), number("ADBE Scale", "Scale", 100, 100, 100),
			number("ADBE Orientation", "Orientation", 0, 0, 0), number("ADBE Rotate X", "X Rotation", 0),
			number("ADBE Rotate Y", "Y Rotation", 0), number(matchRotateZ, "Rotation", 0),
			number("ADBE Opacity", "Opacity", 100), named("ADBE Envir Appear in Reflect", "Appears in Reflections"),
		},
		"ADBE Mask Atom": {
			named(matchMaskShape, "Mask Path"), number("ADBE Mask Feather", "Mask Feather", 0, 0),
			number("ADBE Mask Opacity", "Mask Opacity", 100), number("ADBE Mask Offset", "Mask Expansion", 0),
		},
		matchMasks: {namedGroup("ADBE Mask Atom", "Mask")},
		"ADBE Audio Group": {
			number("ADBE Audio Levels", "Audio Levels", 0, 0),
		},
		"ADBE Material Options Group": {
			number("ADBE Casts Shadows", "Casts Shadows", 0), number("ADBE Light Transmission", "Light Transmission", 0),
			number("ADBE Accepts Shadows", "Accepts Shadows", 1), number("ADBE Accepts Lights", "Accepts Lights", 1),
			named("ADBE Shadow Color", "Shadow Color"),
			number("ADBE Appears in Reflections", "Appears in Reflections", 1),
			number("ADBE Ambient Coefficient", "Ambient", 100), number("ADBE Diffuse Coefficient", "Diffuse", 50),
			number("ADBE Specular Coefficient", "Specular Intensity", 50),
			number("ADBE Shininess Coefficient", "Specular Shininess", 5),
			number("ADBE Metal Coefficient", "Metal", 100),
			number("ADBE Reflection Coefficient", "Reflection Intensity", 0),
			number("ADBE Glossiness Coefficient", "Reflection Sharpness", 100),
			number("ADBE Fresnel Coefficient", "Reflection Rolloff", 0),
			number("ADBE Transparency Coefficient", "Transparency", 0),
			number("ADBE Transp Rolloff", "Transparency Rolloff", 0),
			number("ADBE Index of Refraction", "Index of Refraction", 1),
		},
		"ADBE Plane Options Group":  {number("ADBE Plane Curvature", "Curvature", 0), number("ADBE Plane Subdivision", "Segments", 4)},
		"ADBE Extrsn Options Group": extrusionEntries(),
		"ADBE Camera Options Group": cameraEntries(),
		"ADBE Light Options Group":  lightEntries(),
		matchEffects:                {namedGroup(matchBuiltIn, "Compositing Options")},
		"ADBE Source Options Group": {named("ADBE Layer Source Alternate", "Source Alternate")},
	}
	for _, kind := range []LayerKind{LayerAV, LayerText, LayerShape, LayerCamera, LayerLight} {
		m["ADBE "+rootMatch(kind)] = rootEntries(kind)
	}
	return m
}

func extrusionEntries() []entry {
	return []entry{
		named("ADBE Bevel Styles", "Bevel Style"), named("ADBE Bevel Direction", "Bevel Direction"),
		named("ADBE Bevel Depth", "Bevel Depth"), named("ADBE Hole Bevel Depth", "Hole Bevel Depth"),
		named("ADBE Extrsn Depth", "Extrusion Depth"),
	}
}

func cameraEntries() []entry {
	return []entry{
		number("ADBE Camera Zoom", "Zoom", 0), number("ADBE Camera Depth of Field", "Depth of Field", 0),
		number("ADBE Camera Focus Distance", "Focus Distance", 0), number("ADBE Camera Aperture", "Aperture", 25.3093363329584),
		number("ADBE Camera Blur Level", "Blur Level", 100),
		number("ADBE Iris Shape", "Iris Shape", 1), number("ADBE Iris Rotation", "Iris Rotation", 0),
		number("ADBE Iris Roundness", "Iris Roundness", 0), number("ADBE Iris Aspect Ratio", "Iris Aspect Ratio", 1),
		number("ADBE Iris Diffraction Fringe", "Iris Diffraction Fringe", 0),
		number("ADBE Iris Highlight Gain", "Highlight Gain", 0), number("ADBE Iris Highlight Threshold", "Highlight Threshold", 1),
		number("ADBE Iris Hightlight Saturation", "Highlight Saturation", 0),
	}
}

func lightEntries() []entry {
	return []entry{
		number("ADBE Light Intensity", "Intensity", 100), rgb("ADBE Light Color", "Color", 1, 1, 1),
		number("ADBE Light Cone Angle", "Cone Angle", 90), number("ADBE Light Cone Feather 2", "Cone Feather", 50),
		number("ADBE Light Falloff Type", "Falloff", 1), number("ADBE Light Falloff Start", "Radius", 500),
		number("ADBE Light Falloff Distance", "Falloff Distance", 500),
		number("ADBE Casts Shadows", "Casts Shadows", 0), number("ADBE Light Shadow Darkness", "Shadow Darkness", 100),
		number("ADBE Light Shadow Diffusion", "Shadow Diffusion", 0),
	}
}
