package pdf

import (
	"math"
	"testing"
)

// Of the functions of PDF (ISO 32000-1, 7.10) values are known in closed form.
func TestFunctionsGiveTheirValues(t *testing.T) {
	unit := array{0.0, 1.0}
	line := func(from, to float64) dict {
		return dict{"FunctionType": 2.0, "Domain": unit, "C0": array{from}, "C1": array{to}, "N": 1.0}
	}
	table := func(bits float64, raw ...byte) *stream {
		return &stream{dict: dict{
			"FunctionType": 0.0, "Domain": unit, "Range": array{0.0, 1.0}, "Size": array{3.0}, "BitsPerSample": bits,
		}, raw: raw}
	}
	program := func(code string, numbers int) *stream {
		bounds := array{}
		for range numbers {
			bounds = append(bounds, 0.0, 1.0)
		}
		return &stream{dict: dict{"FunctionType": 4.0, "Domain": unit, "Range": bounds}, raw: []byte(code)}
	}
	// The second half runs backwards, from 1 to 0.
	stitched := dict{
		"FunctionType": 3.0, "Domain": unit, "Functions": array{line(0, 1), line(0, 1)}, "Bounds": array{0.5}, "Encode": array{0.0, 1.0, 1.0, 0.0},
	}
	for _, n := range []struct {
		name     string
		function any
		in       float64
		want     []float64
	}{
		{"a square", dict{"FunctionType": 2.0, "Domain": unit, "C0": array{0.0}, "C1": array{4.0}, "N": 2.0}, 0.5, []float64{1}},
		{"beyond the domain", line(0, 1), 7, []float64{1}},
		{"the first of two", stitched, 0.25, []float64{0.5}},
		{"where they meet", stitched, 0.5, []float64{1}},
		{"the second of two", stitched, 0.75, []float64{0.5}},
		{"one for each number", array{line(0, 1), line(1, 0)}, 0.25, []float64{0.25, 0.75}},
		{"a sample of 8 bits", table(8, 0, 255, 51), 0.5, []float64{1}},
		{"between samples", table(8, 0, 255, 51), 0.25, []float64{0.5}},
		{"the last sample", table(8, 0, 255, 51), 1, []float64{0.2}},
		{"samples of 16 bits", table(16, 0, 0, 255, 255, 51, 51), 1, []float64{0.2}},
		{"none of those that are drawn", dict{"FunctionType": 4.0, "Domain": unit}, 0, nil},
		{"a program", program("{ 1 exch sub }", 1), 0.25, []float64{0.75}},
		{"a program with a choice", program("{ dup 0.5 gt { pop 1 } { 2 mul } ifelse }", 1), 0.25, []float64{0.5}},
		{"the other choice", program("{ dup 0.5 gt { pop 1 } { 2 mul } ifelse }", 1), 0.75, []float64{1}},
		{"a program that moves numbers", program("{ .1 .2 .3 4 -1 roll 4 1 roll 3 copy pop pop pop 2 index exch pop 3 1 roll exch 4 1 roll pop pop pop }", 1), 0.5, []float64{0.1}},
		{"sines and powers", program("{ 90 mul sin 2 exp }", 1), 1.0 / 3, []float64{0.25}},
		{"two numbers", program("{ dup 0.5 mul exch 1 exch sub }", 2), 0.5, []float64{0.25, 0.5}},
		{"a program that lacks numbers", program("{ add }", 1), 0.5, []float64{0}},
		{"a program with an unknown word", program("{ quit }", 1), 0.5, nil},
		{"a program that does not end", program("{ 1 { 2 ", 1), 0.5, nil},
		{"a part that is none", dict{"FunctionType": 3.0, "Domain": unit, "Functions": array{1.0}, "Bounds": array{}, "Encode": unit}, 0, nil},
		{"too few samples", table(8, 0, 255), 0, nil},
		{"too many of them", make(array, maxFunctions+1), 0, nil},
	} {
		t.Run(n.name, func(t *testing.T) {
			f := &file{left: 1 << 20, sought: 1 << 20}
			got := f.function(n.function, 0)
			if got == nil || n.want == nil {
				if (got == nil) != (n.want == nil) {
					t.Fatalf("a function: %v", got != nil)
				}
				return
			}
			out := got([]float64{n.in})
			if len(out) != len(n.want) {
				t.Fatalf("%v, want %v", out, n.want)
			}
			for i := range out {
				if math.Abs(out[i]-n.want[i]) > 1e-9 {
					t.Errorf("%v, want %v", out, n.want)
				}
			}
		})
	}
}
