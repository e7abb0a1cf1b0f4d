package pdf

import (
	"math"
)

// function is a function of numbers, of which files use some for colours.
type function func(in []float64) []float64

const (
	maxFunctions = 64     // of one array or function
	maxMade      = 20_000 // of a file
	maxSamples   = 1 << 22
	maxInputs    = 4
)

// function reads a function of type 0, 2, 3 or 4, or an array of such for one number each; nil for others.
func (f *file) function(v any, depth int) function {
	r, ok := v.(ref)
	if !ok {
		return f.functionOf(v, depth)
	}
	known, ok := f.read[r]
	if !ok {
		known = f.functionOf(v, depth)
		f.read[r] = known
	}
	return known
}

func (f *file) functionOf(v any, depth int) function {
	if f.made++; depth > 8 || f.made > maxMade {
		return nil
	}
	if list := f.array(v); list != nil {
		return f.functions(list, depth)
	}
	d := f.dict(v)
	domain, bounds := f.numbers(d["Domain"]), f.numbers(d["Range"])
	if len(domain) < 2 {
		return nil
	}
	var of function
	switch f.number(d["FunctionType"], -1) {
	case 0:
		s, ok := f.get(v).(*stream)
		if ok {
			of = f.sampled(s, domain, bounds)
		}
	case 2:
		of = f.exponential(d)
	case 3:
		of = f.stitched(d, domain, depth)
	case 4:
		if s, ok := f.get(v).(*stream); ok {
			of = f.calculated(s, bounds)
		}
	}
	if of == nil {
		return nil
	}
	return func(in []float64) []float64 {
		return within(of(within(append([]float64(nil), in...), domain)), bounds)
	}
}

// within limits numbers to pairs of bounds, as far as there are any.
func within(v, bounds []float64) []float64 {
	for i := range v {
		if 2*i+1 < len(bounds) {
			v[i] = max(bounds[2*i], min(bounds[2*i+1], v[i]))
		}
		if math.IsNaN(v[i]) {
			v[i] = 0
		}
	}
	return v
}

// each are the functions of a list; ok is false when one of them is none that is drawn, or they are too many.
func (f *file) each(list array, depth int) (all []function, ok bool) {
	if len(list) > maxFunctions {
		return nil, false
	}
	for _, v := range list {
		one := f.function(v, depth+1)
		if one == nil {
			return nil, false
		}
		all = append(all, one)
	}
	return all, true
}

func (f *file) functions(list array, depth int) function {
	all, ok := f.each(list, depth)
	if !ok {
		return nil
	}
	return func(in []float64) (out []float64) {
		for _, one := range all {
			out = append(out, one(in)...)
		}
		return out
	}
}

func (f *file) exponential(d dict) function {
	c0, c1, n := f.numbers(d["C0"]), f.numbers(d["C1"]), f.number(d["N"], 1)
	if len(c0) == 0 {
		c0 = []float64{0}
	}
	if len(c1) == 0 {
		c1 = []float64{1}
	}
	return func(in []float64) []float64 {
		if len(in) == 0 {
			return nil
		}
		k := math.Pow(in[0], n)
		out := make([]float64, min(len(c0), len(c1)))
		for i := range out {
			out[i] = c0[i] + k*(c1[i]-c0[i])
		}
		return out
	}
}

func (f *file) stitched(d dict, domain []float64, depth int) function {
	list, bounds, encode := f.array(d["Functions"]), f.numbers(d["Bounds"]), f.numbers(d["Encode"])
	all, ok := f.each(list, depth)
	if !ok || len(list) == 0 || len(bounds) != len(list)-1 || len(encode) < 2*len(list) {
		return nil
	}
	return func(in []float64) []float64 {
		if len(in) == 0 {
			return nil
		}
		i, from, to := 0, domain[0], domain[1]
		for i < len(bounds) && in[0] >= bounds[i] {
			from = bounds[i]
			i++
		}
		if i < len(bounds) {
			to = bounds[i]
		}
		x := encode[2*i]
		if to > from {
			x += (in[0] - from) / (to - from) * (encode[2*i+1] - encode[2*i])
		}
		return all[i]([]float64{x})
	}
}

// sampled reads a table of samples, between which it mixes along the first number and takes the nearest of the others.
func (f *file) sampled(s *stream, domain, bounds []float64) function {
	size, bits := f.numbers(s.dict["Size"]), int(f.number(s.dict["BitsPerSample"], 8))
	inputs, outputs := len(domain)/2, len(bounds)/2
	if inputs < 1 || inputs > maxInputs || len(size) < inputs || outputs < 1 || outputs > 32 || bits != 8 && bits != 16 {
		return nil
	}
	total := outputs
	for _, n := range size[:inputs] {
		if n < 1 || float64(total)*n > maxSamples {
			return nil
		}
		total *= int(n)
	}
	data, err := f.decoded(s)
	if err != nil || len(data) < total*bits/8 {
		return nil
	}
	decode := f.numbers(s.dict["Decode"])
	if len(decode) < 2*outputs {
		decode = bounds
	}
	encode := f.numbers(s.dict["Encode"])
	at := func(i int) float64 {
		if bits == 16 {
			return float64(int(data[2*i])<<8|int(data[2*i+1])) / 65535
		}
		return float64(data[i]) / 255
	}
	return func(in []float64) []float64 {
		if len(in) < inputs {
			return nil
		}
		offset, stride, share := 0, 1, 0.0
		for i := range inputs {
			last := math.Trunc(size[i]) - 1
			from, to := 0.0, last
			if len(encode) > 2*i+1 {
				from, to = encode[2*i], encode[2*i+1]
			}
			x := from
			if width := domain[2*i+1] - domain[2*i]; width > 0 {
				x += (in[i] - domain[2*i]) / width * (to - from)
			}
			x = max(0, min(last, x))
			n := math.Round(x)
			if i == 0 {
				n = math.Min(math.Floor(x), math.Max(0, last-1))
				share = x - n
			}
			offset += int(n) * stride
			stride *= int(size[i])
		}
		out := make([]float64, outputs)
		for c := range out {
			v := at(offset*outputs + c)
			if share > 0 {
				v += share * (at((offset+1)*outputs+c) - v)
			}
			out[c] = decode[2*c] + v*(decode[2*c+1]-decode[2*c])
		}
		return out
	}
}
