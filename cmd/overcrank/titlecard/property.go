package titlecard

import "overcrank/aep"

func root(groups ...*aep.Property) *aep.Property {
	return &aep.Property{Group: true, Enabled: true, Children: groups}
}

func group(match string, children ...*aep.Property) *aep.Property {
	return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
}

func transform(properties ...*aep.Property) *aep.Property {
	return group("ADBE Transform Group", merged(properties)...)
}

// merged joins the keyframes of properties that are named twice.
func merged(properties []*aep.Property) []*aep.Property {
	var out []*aep.Property
next:
	for _, p := range properties {
		for _, q := range out {
			if q.Match == p.Match {
				q.Keys = append(q.Keys, p.Keys...)
				continue next
			}
		}
		out = append(out, p)
	}
	return out
}

// still is a property that does not move.
func still(match string, v ...float64) *aep.Property {
	p := &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
	p.Spatial = match == "ADBE Position" || match == "ADBE Anchor Point"
	return p
}

// key is a keyframe that is left and reached softly, at rest.
func key(t float64, v ...float64) aep.Keyframe {
	soft := []aep.Ease{{Influence: 0.6}}
	k := aep.Keyframe{Time: t, Value: aep.Numbers(v), In: aep.Bezier, Out: aep.Bezier}
	for range v {
		k.InEase = append(k.InEase, soft...)
		k.OutEase = append(k.OutEase, soft...)
	}
	return k
}

// place is a keyframe of a position.
func place(t, x, y float64) aep.Keyframe {
	k := key(t, x, y, 0)
	k.InEase, k.OutEase = k.InEase[:1], k.OutEase[:1]
	k.TangentIn, k.TangentOut = []float64{0, 0, 0}, []float64{0, 0, 0}
	return k
}

func moving(match string, keys ...aep.Keyframe) *aep.Property {
	first := keys[0].Value.(aep.Numbers)
	p := still(match, first...)
	p.Keys = keys
	return p
}

// fade is an opacity that goes from a to b percent between two times.
func fade(t0, a, t1, b float64) *aep.Property {
	return moving("ADBE Opacity", key(t0, a), key(t1, b))
}

// rise comes up to (x, y) from below.
func rise(x, y, from, t0, t1 float64) *aep.Property {
	return moving("ADBE Position", place(t0, x, y+from), place(t1, x, y))
}

// drift goes from one place to another over the whole film, at one speed.
func drift(x0, y0, x1, y1 float64) *aep.Property {
	a, b := place(0, x0, y0), place(Duration, x1, y1)
	a.In, a.Out, b.In, b.Out = aep.Linear, aep.Linear, aep.Linear, aep.Linear
	return moving("ADBE Position", a, b)
}

// grow spreads a layer from nothing to its width.
func grow(t0, t1 float64) *aep.Property {
	return moving("ADBE Scale", key(t0, 0, 100, 100), key(t1, 100, 100, 100))
}

// push is a slow move of the camera towards the picture: from a to b percent.
func push(a, b float64) *aep.Property {
	return moving("ADBE Scale", key(0, a, a, 100), key(Duration, b, b, 100))
}

func roundedRect(x, y, w, h, radius float64) *aep.Property {
	return group("ADBE Vector Shape - Rect",
		still("ADBE Vector Rect Size", w, h), still("ADBE Vector Rect Position", x, y), still("ADBE Vector Rect Roundness", radius))
}

func fill(r, g, b float64) *aep.Property {
	c := still("ADBE Vector Fill Color", r, g, b, 1)
	c.Color = true
	return group("ADBE Vector Graphic - Fill", c)
}
