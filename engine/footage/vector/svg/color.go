package svg

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// colour reads a colour, red, green, blue and alpha from 0 to 1; false when it is none.
func colour(v string) ([4]float64, bool) {
	v = strings.ToLower(strings.TrimSpace(v))
	if strings.HasPrefix(v, "#") {
		return hexadecimal(v[1:])
	}
	if v == "transparent" {
		return [4]float64{}, true
	}
	if open := strings.IndexByte(v, '('); open > 0 {
		end := strings.IndexByte(v, ')')
		if end < open {
			return [4]float64{}, false
		}
		return components(v[:open], strings.ReplaceAll(v[open+1:end], "/", " "))
	}
	c, ok := colornames.Map[v]
	return [4]float64{float64(c.R) / 255, float64(c.G) / 255, float64(c.B) / 255, 1}, ok
}

func hexadecimal(v string) ([4]float64, bool) {
	c := [4]float64{3: 1}
	digits := 2
	if len(v) == 3 || len(v) == 4 {
		digits = 1
	}
	if n := len(v) / digits; len(v)%digits != 0 || n < 3 || n > 4 {
		return c, false
	}
	for i := 0; i*digits < len(v); i++ {
		n, err := strconv.ParseUint(v[i*digits:(i+1)*digits], 16, 8)
		if err != nil {
			return c, false
		}
		if digits == 1 {
			n *= 17
		}
		c[i] = float64(n) / 255
	}
	return c, true
}

// components reads the numbers of rgb() and hsl().
func components(name, list string) ([4]float64, bool) {
	s := scanner{s: list}
	c := [4]float64{3: 1}
	for i := range c {
		n, ok := s.number()
		switch {
		case !ok && i == 3: // opaque
			continue
		case !ok:
			return c, false
		}
		unit := s.word()
		switch { // to shares
		case unit == "%":
			n /= 100
		case i < 3 && strings.HasPrefix(name, "rgb"):
			n /= 255
		}
		c[i] = n
	}
	for i := range c {
		if i > 0 || strings.HasPrefix(name, "rgb") {
			c[i] = max(0, min(1, c[i]))
		}
	}
	switch name {
	case "rgb", "rgba":
		return c, true
	case "hsl", "hsla":
		return hsl(c), true
	}
	return c, false
}

// hsl converts hue in degrees, saturation and lightness.
func hsl(c [4]float64) [4]float64 {
	chroma := c[1] * min(c[2], 1-c[2])
	channel := func(n float64) float64 {
		k := math.Mod(n+c[0]/30, 12)
		if k < 0 {
			k += 12
		}
		return c[2] - chroma*max(-1, min(k-3, 9-k, 1))
	}
	return [4]float64{channel(0), channel(8), channel(4), c[3]}
}
