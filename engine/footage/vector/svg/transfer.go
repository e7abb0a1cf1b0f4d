package svg

import (
	"math"
	"slices"
)

// maxTable limits the values of a transfer function.
const maxTable = 1_024

// transfer is what a feComponentTransfer makes of a colour: each channel by a function of its own.
func transfer(e *element) func(c [4]float64) [4]float64 {
	var of [4]func(v float64) float64
	for _, c := range e.children {
		if i := slices.Index([]string{"feFuncR", "feFuncG", "feFuncB", "feFuncA"}, c.name); i >= 0 {
			of[i] = transferred(c)
		}
	}
	return func(c [4]float64) [4]float64 {
		for i, f := range of {
			if f != nil {
				c[i] = f(max(0, min(1, c[i])))
			}
		}
		return c
	}
}

// transferred is a function of a channel; nil for one that changes nothing.
func transferred(e *element) func(v float64) float64 {
	number := func(name string, otherwise float64) float64 {
		if n := numbers(e.attr(name), 1); len(n) > 0 {
			return n[0]
		}
		return otherwise
	}
	table := numbers(e.attrs["tableValues"], maxTable)
	n := len(table)
	switch kind := e.attr("type"); {
	case kind == "linear":
		slope, intercept := number("slope", 1), number("intercept", 0)
		return func(v float64) float64 { return slope*v + intercept }
	case kind == "gamma":
		amplitude, exponent, offset := number("amplitude", 1), number("exponent", 1), number("offset", 0)
		return func(v float64) float64 { return amplitude*math.Pow(v, exponent) + offset }
	case kind == "discrete" && n > 0:
		return func(v float64) float64 { return table[min(n-1, int(v*float64(n)))] }
	case kind == "table" && n > 0:
		return func(v float64) float64 {
			at := v * float64(n-1)
			i := min(n-1, int(at))
			return table[i] + (table[min(n-1, i+1)]-table[i])*(at-float64(i))
		}
	}
	return nil
}
