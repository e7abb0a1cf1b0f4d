package expression

import (
	"math"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// defineColor defines conversions of colours of 0–1.
func (m *Machine) defineColor() {
	m.define("rgbToHsl", func(c goja.FunctionCall) goja.Value {
		v, _ := m.floats(c.Argument(0), "rgbToHsl")
		h, s, l := hsl(element(v, 0), element(v, 1), element(v, 2))
		return m.array([]float64{h, s, l, alpha(v)})
	})
	m.define("hslToRgb", func(c goja.FunctionCall) goja.Value {
		v, _ := m.floats(c.Argument(0), "hslToRgb")
		r, g, b := rgb(element(v, 0), element(v, 1), element(v, 2))
		return m.array([]float64{r, g, b, alpha(v)})
	})
	m.define("hexToRgb", func(c goja.FunctionCall) goja.Value {
		text := strings.TrimPrefix(strings.TrimPrefix(c.Argument(0).String(), "#"), "0x")
		if len(text) == 3 || len(text) == 4 {
			var b strings.Builder
			for _, r := range text {
				b.WriteRune(r)
				b.WriteRune(r)
			}
			text = b.String()
		}
		n, err := strconv.ParseUint(text, 16, 32)
		if err != nil || len(text) != 6 && len(text) != 8 {
			m.throw("hexToRgb: %q is not a colour", short(c.Argument(0).String()))
		}
		a := uint64(255)
		if len(text) == 8 {
			a, n = n&255, n>>8
		}
		return m.array([]float64{float64(n>>16&255) / 255, float64(n>>8&255) / 255, float64(n&255) / 255, float64(a) / 255})
	})
}

func alpha(v []float64) float64 {
	if len(v) > 3 {
		return v[3]
	}
	return 1
}

func hsl(r, g, b float64) (h, s, l float64) {
	high, low := max(r, g, b), min(r, g, b)
	l = (high + low) / 2
	d := high - low
	if d == 0 {
		return 0, 0, l
	}
	s = d / (1 - math.Abs(2*l-1))
	switch high {
	case r:
		h = math.Mod((g-b)/d+6, 6)
	case g:
		h = (b-r)/d + 2
	default:
		h = (r-g)/d + 4
	}
	return h / 6, s, l
}

func rgb(h, s, l float64) (r, g, b float64) {
	at := func(n float64) float64 {
		k := math.Mod(n+h*12, 12)
		return l - s*min(l, 1-l)*max(-1, min(k-3, 9-k, 1))
	}
	return at(0), at(8), at(4)
}
