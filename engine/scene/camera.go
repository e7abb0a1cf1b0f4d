package scene

import "overcrank/engine/eval"

// fastRectangle is the iris of a new camera. All are drawn as such.
const fastRectangle = 1

// iris tells what of a camera's depth of field is not drawn.
func (l *Layer) iris() {
	if !l.Comp.deep() || !l.focuses() {
		return
	}
	group := l.Props.Child("ADBE Camera Options Group")
	other := func(match string, usual float64) bool {
		n := eval.NumberOf(l.At(group.Child(match)), usual)
		return n.Varies() || n.First() != usual
	}
	if other("ADBE Iris Shape", fastRectangle) {
		l.detail("the shape of the iris in depth of field", Cameras)
	}
	if other("ADBE Iris Highlight Gain", 0) {
		l.detail("the highlights of the iris in depth of field", Cameras)
	}
}
