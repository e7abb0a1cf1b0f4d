package profile

import "math"

// steps is how many values of a Lookup are kept.
const steps = 4096

// Lookup is f with its values from 0 to 1 kept, in even steps of the root of what it is given: there both light and its encoding are nearly
// straight, so that what lies between two of them is exact to a millionth.
func Lookup(f func(v float64) float64) func(v float64) float64 {
	var kept [steps + 2]float64
	for i := range kept {
		root := float64(i) / steps
		kept[i] = f(root * root)
	}
	return func(v float64) float64 {
		if !(v >= 0 && v <= 1) {
			return f(v)
		}
		at := math.Sqrt(v) * steps
		i := int(at)
		return kept[i] + (kept[i+1]-kept[i])*(at-float64(i))
	}
}
