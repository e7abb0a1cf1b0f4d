package pdf

// colors is a colour space: how many numbers a colour has, and what red, green and blue they make.
type colors struct {
	n       int
	rgb     func(v []float64) [3]float64
	first   []float64 // the colour that a space begins with
	pattern bool
	under   *colors // of a pattern space: that of the colours of patterns that have none of their own, or nil
	palette int     // of an indexed space: its last number, otherwise 0
}

var (
	gray = &colors{n: 1, first: []float64{0}, rgb: func(v []float64) [3]float64 { return [3]float64{v[0], v[0], v[0]} }}
	rgb  = &colors{n: 3, first: []float64{0, 0, 0}, rgb: func(v []float64) [3]float64 { return [3]float64{v[0], v[1], v[2]} }}
	cmyk = &colors{n: 4, first: []float64{0, 0, 0, 1}, rgb: func(v []float64) [3]float64 {
		k := 1 - v[3]
		return [3]float64{(1 - v[0]) * k, (1 - v[1]) * k, (1 - v[2]) * k}
	}}
)

// byCount is the space that a number of components means, as profiles are read.
func byCount(n int) *colors {
	switch n {
	case 1:
		return gray
	case 3:
		return rgb
	case 4:
		return cmyk
	}
	return nil
}

// space reads a colour space, by its name in the resources where it is one of these; nil for one that is not drawn.
func (f *file) space(v any, resources dict, depth int) *colors {
	if depth > 8 {
		return nil
	}
	if n := f.name(v); n != "" {
		switch n {
		case "DeviceGray", "G", "CalGray":
			return gray
		case "DeviceRGB", "RGB", "CalRGB":
			return rgb
		case "DeviceCMYK", "CMYK":
			f.inks = true
			return cmyk
		case "Pattern":
			return &colors{pattern: true}
		}
		named := f.dict(resources["ColorSpace"])[n]
		if named == nil || f.name(named) == n {
			return nil
		}
		return f.space(named, resources, depth+1)
	}
	a := f.array(v)
	if len(a) == 0 {
		return nil
	}
	switch kind := f.name(a[0]); {
	case len(a) == 1 || kind == "CalGray" || kind == "CalRGB":
		return f.space(kind, nil, depth+1)
	case kind == "ICCBased":
		d := f.dict(a[1])
		if s := byCount(int(f.number(d["N"], 0))); s != nil {
			f.inks = f.inks || s == cmyk
			return s
		}
		return f.space(d["Alternate"], resources, depth+1)
	case kind == "Pattern":
		under := f.space(a[1], resources, depth+1)
		if under != nil && under.pattern {
			under = nil
		}
		return &colors{pattern: true, under: under}
	case (kind == "Indexed" || kind == "I") && len(a) >= 4:
		return f.indexed(a, resources, depth)
	case (kind == "Separation" || kind == "DeviceN") && len(a) >= 4:
		return f.tinted(a, kind, resources, depth)
	}
	return nil
}

func (f *file) indexed(a array, resources dict, depth int) *colors {
	base := f.space(a[1], resources, depth+1)
	if base == nil || base.pattern || base.palette > 0 {
		return nil
	}
	var table []byte
	switch v := f.get(a[3]).(type) {
	case text:
		table = v
	case *stream:
		table, _ = f.decoded(v)
	}
	last := int(max(0, min(255, f.number(a[2], 0))))
	return &colors{n: 1, first: []float64{0}, palette: max(1, last), rgb: func(v []float64) [3]float64 {
		i := base.n * int(max(0, min(float64(last), v[0])))
		if i+base.n > len(table) {
			return [3]float64{}
		}
		c := make([]float64, base.n)
		for k := range c {
			c[k] = float64(table[i+k]) / 255
		}
		return base.rgb(c)
	}}
}

// tinted is a space of spot colours, as its alternate shows them.
func (f *file) tinted(a array, kind name, resources dict, depth int) *colors {
	base, tint := f.space(a[2], resources, depth+1), f.function(a[3], 0)
	n := 1
	if kind == "DeviceN" {
		n = len(f.array(a[1]))
	}
	if base == nil || base.pattern || base.palette > 0 || tint == nil || n < 1 || n > 32 {
		return nil
	}
	first := make([]float64, n)
	for i := range first {
		first[i] = 1
	}
	return &colors{n: n, first: first, rgb: func(v []float64) [3]float64 {
		c := tint(v)
		if len(c) < base.n {
			return [3]float64{}
		}
		return base.rgb(c)
	}}
}

// colour is a colour of the space, for numbers of a content stream.
func (s *colors) colour(v []float64) [3]float64 {
	if len(v) < s.n {
		return [3]float64{}
	}
	c := append([]float64(nil), v[:s.n]...)
	if s.palette == 0 {
		for i := range c {
			c[i] = max(0, min(1, c[i]))
		}
	}
	out := s.rgb(c)
	for i := range out {
		out[i] = max(0, min(1, out[i]))
	}
	return out
}
