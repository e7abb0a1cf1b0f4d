package shape

import "overcrank/aep"

// table are the operators that are drawn, by match name.
func table() map[string]func(params) operator {
	return map[string]func(params) operator{
		"ADBE Vector Group":              newNested,
		"ADBE Vector Shape - Rect":       newRect,
		"ADBE Vector Shape - Ellipse":    newEllipse,
		"ADBE Vector Shape - Star":       newStar,
		"ADBE Vector Shape - Group":      newBezier,
		"ADBE Vector Graphic - Fill":     newFill,
		"ADBE Vector Graphic - G-Fill":   newFill,
		"ADBE Vector Graphic - Stroke":   newStroke,
		"ADBE Vector Graphic - G-Stroke": newStroke,
		"ADBE Vector Filter - Trim":      newTrim,
		"ADBE Vector Filter - Merge":     newMerge,
		"ADBE Vector Filter - Repeater":  newRepeat,
		"ADBE Vector Filter - RC":        newRound,
		"ADBE Vector Filter - Zigzag":    newZigzag,
		"ADBE Vector Filter - PB":        newPucker,
		"ADBE Vector Filter - Offset":    newOffset,
		"ADBE Vector Filter - Twist":     newTwist,
		"ADBE Vector Filter - Roughen":   newWigglePaths,
		"ADBE Vector Filter - Wiggler":   newWiggleTransform,
	}
}

// silent are groups that draw nothing themselves.
func silent(p *aep.Property) bool {
	switch p.Match {
	case "ADBE Vector Transform Group", "ADBE Vector Materials Group", "ADBE Vector Blend Mode":
		return true
	}
	return !p.Group
}
