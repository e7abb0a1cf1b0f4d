package effect

import (
	"fmt"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// operators are those of Arithmetic's popup, from 1: they join a channel with a value, both 0 to 255.
var operators = [...]func(a, b int) int{
	func(a, b int) int { return a & b },
	func(a, b int) int { return a | b },
	func(a, b int) int { return a ^ b },
	func(a, b int) int { return a + b },
	func(a, b int) int { return a - b },
	func(a, b int) int { return max(a-b, b-a) },
	func(a, b int) int { return min(a, b) },
	func(a, b int) int { return max(a, b) },
	func(a, b int) int { return when(a <= b, a) }, // Block Above
	func(a, b int) int { return when(a >= b, a) }, // Block Below
	func(a, b int) int { return when(a >= b, 255) },
	func(a, b int) int { return (a*b + 127) / 255 },
	func(a, b int) int { return a + b - (a*b+127)/255 },
}

// when is v if so, or else black.
func when(so bool, v int) int {
	if so {
		return v
	}
	return 0
}

// arithmetic is Arithmetic.
type arithmetic struct {
	operator, clip eval.Number
	values         [3]eval.Number
}

func newArithmetic(p Params) Effect {
	e := &arithmetic{operator: p.Number("0001", 3), clip: p.Number("0005", 1)}
	for i := range e.values {
		e.values[i] = p.Number(fmt.Sprintf("%04d", 2+i), 0)
	}
	return e
}

func (e *arithmetic) Draw(f *Frame, img *raster.Image) error {
	which := f.Choice(&e.operator) - 1
	if which < 0 || which >= len(operators) {
		return nil
	}
	clip := f.Choice(&e.clip) != 0
	var maps [3]*mapping
	for i := range maps {
		by := int(unit(f.Number(&e.values[i])/255)*255 + 0.5)
		var m mapping
		for v := range m {
			out := operators[which](v, by)
			if clip {
				out = max(0, min(255, out))
			}
			m[v] = uint8(out & 255)
		}
		maps[i] = &m
	}
	lookUp(img, maps)
	return nil
}
