// Package profile knows colour profiles: what light the numbers of a picture mean. It has those that After Effects names as working spaces, and
// reads those that pictures carry.
package profile

import (
	"math"
	"strings"
)

// Profile says what light colours mean.
type Profile struct {
	Name  string
	Curve Curve
	// toXYZ maps light of its primaries to CIE XYZ, with white as that of ICC profiles (D50).
	toXYZ matrix
}

// Curve maps the values of a channel to light: (A·v+B)^Gamma + Offset from Join on, and below it Slope·v + Base, as in ICC.1:2022, 10.18. With a
// Table it is that instead, in equal steps from 0 to 1.
type Curve struct {
	Gamma, A, B, Slope, Join, Base, Offset float64
	Table                                  []float64
}

// Power is a curve that is a power.
func Power(gamma float64) Curve { return Curve{Gamma: gamma, A: 1} }

// The curves of standards: IEC 61966-2-1, and ITU-R BT.709 as cameras encode light.
var (
	SRGB   = Curve{Gamma: 2.4, A: 1 / 1.055, B: 0.055 / 1.055, Slope: 1 / 12.92, Join: 0.04045}
	Rec709 = Curve{Gamma: 1 / 0.45, A: 1 / 1.099, B: 0.099 / 1.099, Slope: 1 / 4.5, Join: 0.081}
)

// Light is the light of a value. Values below black are mirrored.
func (c *Curve) Light(v float64) float64 {
	if v < 0 {
		return -c.Light(-v)
	}
	if n := len(c.Table); n > 1 {
		at := v * float64(n-1)
		i := min(int(min(at, float64(n))), n-2)
		return c.Table[i] + (c.Table[i+1]-c.Table[i])*(at-float64(i))
	}
	if v < c.Join {
		return c.Slope*v + c.Base
	}
	return math.Pow(c.A*v+c.B, c.Gamma) + c.Offset
}

// Value is the value of some light: the inverse of Light, for curves without a table.
func (c *Curve) Value(light float64) float64 {
	if light < 0 {
		return -c.Value(-light)
	}
	if c.Slope > 0 && light < c.Slope*c.Join+c.Base {
		return max(0, light-c.Base) / c.Slope
	}
	return (math.Pow(max(0, light-c.Offset), 1/c.Gamma) - c.B) / c.A
}

// Chromaticities of primaries and white, x and y.
type primaries struct{ red, green, blue, white [2]float64 }

var (
	d65      = [2]float64{0.3127, 0.3290}
	of709    = primaries{[2]float64{0.64, 0.33}, [2]float64{0.30, 0.60}, [2]float64{0.15, 0.06}, d65}       // ITU-R BT.709
	ofP3     = primaries{[2]float64{0.680, 0.320}, [2]float64{0.265, 0.690}, [2]float64{0.150, 0.060}, d65} // SMPTE EG 432-1
	of2020   = primaries{[2]float64{0.708, 0.292}, [2]float64{0.170, 0.797}, [2]float64{0.131, 0.046}, d65} // ITU-R BT.2020
	ofAdobe  = primaries{[2]float64{0.64, 0.33}, [2]float64{0.21, 0.71}, [2]float64{0.15, 0.06}, d65}       // Adobe RGB (1998)
	whiteD50 = [3]float64{0.9642, 1, 0.8249}                                                                // ICC.1:2022, 7.2.16
)

// Named is the profile with a name as After Effects, or a picture, says it; false for one that is not known.
func Named(name string) (*Profile, bool) {
	plain := strings.ToLower(strings.Join(strings.Fields(name), " "))
	for _, k := range known {
		for _, word := range k.names {
			if plain == word {
				return &Profile{Name: name, Curve: k.curve, toXYZ: k.of.toXYZ()}, true
			}
		}
	}
	return nil, false
}

// known are the profiles by their names, in small letters.
var known = []struct {
	names []string
	of    primaries
	curve Curve
}{
	{[]string{"srgb iec61966-2.1", "srgb", "srgb built-in", "c2", "srgb iec61966-2-1 black scaled"}, of709, SRGB},
	{[]string{"hdtv (rec. 709)", "rec. 709", "rec.709", "itu-r bt.709", "bt.709"}, of709, Rec709},
	{[]string{"rec.709 gamma 2.4", "rec. 709 gamma 2.4", "bt.709 gamma 2.4", "itu-r bt.709 gamma 2.4"}, of709, Power(2.4)},
	{[]string{"rec.709 gamma 2.2", "rec. 709 gamma 2.2"}, of709, Power(2.2)},
	{[]string{"display p3", "image p3", "p3 d65"}, ofP3, SRGB},
	{[]string{"p3 d65 gamma 2.6", "dci-p3 d65", "dci p3 d65"}, ofP3, Power(2.6)},
	{[]string{"adobe rgb (1998)", "adobergb1998"}, ofAdobe, Power(563.0 / 256)},
	{[]string{"rec. 2020", "rec.2020", "itu-r bt.2020", "bt.2020", "rec. 2020 gamma 2.4", "rec.2020 gamma 2.4"}, of2020, Power(2.4)},
}

// Video is the profile of the films that are written, and of what says nothing of itself: the primaries of BT.709, with the curve of sRGB.
func Video() *Profile {
	p, _ := Named("sRGB")
	return p
}

// Same tells whether colours mean the same light in both.
func (p *Profile) Same(q *Profile) bool {
	if len(p.Curve.Table) != 0 || len(q.Curve.Table) != 0 {
		return false
	}
	for i := 0; i <= 16; i++ {
		if v := float64(i) / 16; math.Abs(p.Curve.Light(v)-q.Curve.Light(v)) > 1e-3 {
			return false
		}
	}
	return p.SamePrimaries(q)
}

// SamePrimaries tells whether the light of the channels is the same.
func (p *Profile) SamePrimaries(q *Profile) bool {
	for i := range p.toXYZ {
		for j := range p.toXYZ[i] {
			if math.Abs(p.toXYZ[i][j]-q.toXYZ[i][j]) > 2e-3 {
				return false
			}
		}
	}
	return true
}

// To converts light of one profile's primaries to that of another's: relative colorimetry, white to white.
func (p *Profile) To(q *Profile) func(light [3]float64) [3]float64 {
	back, ok := q.toXYZ.inverse()
	if !ok || p.SamePrimaries(q) {
		return func(light [3]float64) [3]float64 { return light }
	}
	m := back.times(&p.toXYZ)
	return m.of
}
