package effect

import (
	"encoding/binary"

	"overcrank/engine/raster"
)

// remembered is how many colours each remembers, as a power of two.
const remembered = 12

// each gives each pixel of img what of makes of it; pixels are premultiplied. Most pictures repeat their colours, so what was made of the last
// few thousand is remembered.
func each(img *raster.Image, of func(px [4]uint8) [4]uint8) {
	var known [1 << remembered]struct{ before, after uint32 }
	empty := of([4]uint8{})
	known[0].after = binary.LittleEndian.Uint32(empty[:])
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4 : i+4]
		key := binary.LittleEndian.Uint32(px)
		// 0x9e3779b1 spreads keys evenly (Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing).
		k := &known[key*0x9e3779b1>>(32-remembered)]
		if k.before != key {
			after := of([4]uint8(px))
			k.before, k.after = key, binary.LittleEndian.Uint32(after[:])
		}
		binary.LittleEndian.PutUint32(px, k.after)
	}
}

// recolor gives each visible pixel of img the colour that of makes of its own. Colours are straight, from 0 to 1; what of returns may lie
// beyond. The transparency stays.
func recolor(img *raster.Image, of func(c [3]float64) [3]float64) {
	each(img, func(px [4]uint8) [4]uint8 {
		if px[3] == 0 {
			return px
		}
		a := float64(px[3])
		c := of([3]float64{float64(px[0]) / a, float64(px[1]) / a, float64(px[2]) / a})
		for j := range 3 {
			px[j] = channel(c[j]*a, a)
		}
		return px
	})
}

// shade is recolor for the transparency too: of is given red, green, blue and alpha. What is transparent is black to it.
func shade(img *raster.Image, of func(c [4]float64) [4]float64) {
	each(img, func(px [4]uint8) [4]uint8 { return raster.Premultiply(of(straight(px))) })
}

// straight is a premultiplied pixel as red, green, blue and alpha from 0 to 1.
func straight(px [4]uint8) [4]float64 {
	if px[3] == 0 {
		return [4]float64{}
	}
	a := float64(px[3])
	return [4]float64{float64(px[0]) / a, float64(px[1]) / a, float64(px[2]) / a, a / 255}
}

// fade lays share (0–1) of the picture before over img: what a blend with the original is. Both have the same bounds.
func fade(img, before *raster.Image, share float64) {
	k := uint32(unit(share)*255 + 0.5)
	if k == 0 {
		return
	}
	for i, was := range before.Pix[:len(img.Pix)] {
		img.Pix[i] = uint8((uint32(was)*k + uint32(img.Pix[i])*(255-k) + 127) / 255)
	}
}

// towards is the colour v moved to the colour to by a share.
func towards(v, to [3]float64, share float64) [3]float64 {
	for i := range v {
		v[i] += (to[i] - v[i]) * share
	}
	return v
}

// rgb is a colour without its transparency.
func rgb(c [4]float64) [3]float64 { return [3]float64{c[0], c[1], c[2]} }

// mapping maps the values 0 to 255 of a channel.
type mapping [256]uint8

// mappingOf samples a function from 0–1 to 0–1.
func mappingOf(f func(v float64) float64) *mapping {
	var t mapping
	for i := range t {
		t[i] = uint8(unit(f(float64(i)/255))*255 + 0.5)
	}
	return &t
}

// identity is the mapping that changes nothing.
func identity() *mapping { return mappingOf(func(v float64) float64 { return v }) }

// after is the mapping m after the mapping before.
func (m *mapping) after(before *mapping) *mapping {
	var t mapping
	for i, v := range before {
		t[i] = m[v]
	}
	return &t
}

// mixed is the mapping a share of the way from m to another.
func (m *mapping) mixed(to *mapping, share float64) *mapping {
	var t mapping
	for i, v := range m {
		t[i] = uint8(float64(v) + (float64(to[i])-float64(v))*unit(share) + 0.5)
	}
	return &t
}

// lookUpAll maps the straight channels of img and its transparency. What is transparent is black to it.
func lookUpAll(img *raster.Image, channels [4]*mapping) {
	if *channels[3] == *identity() {
		lookUp(img, [3]*mapping(channels[:3]))
		return
	}
	each(img, func(px [4]uint8) [4]uint8 {
		was, now := uint32(px[3]), uint32(channels[3][px[3]])
		for j := range 3 {
			s := uint32(0)
			if was > 0 {
				s = min((uint32(px[j])*255+was/2)/was, 255)
			}
			px[j] = uint8((uint32(channels[j][s])*now + 127) / 255)
		}
		px[3] = uint8(now)
		return px
	})
}

// lookUp maps the straight channels of img, red, green and blue. The transparency stays.
func lookUp(img *raster.Image, channels [3]*mapping) {
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4 : i+4]
		switch a := uint32(px[3]); a {
		case 0:
		case 255:
			px[0], px[1], px[2] = channels[0][px[0]], channels[1][px[1]], channels[2][px[2]]
		default:
			for j := range 3 {
				straight := min((uint32(px[j])*255+a/2)/a, 255)
				px[j] = uint8((uint32(channels[j][straight])*a + 127) / 255)
			}
		}
	}
}

// luma is the brightness of a straight colour, by Rec. ITU-R BT.601, as After Effects' older effects weigh it.
func luma(c [3]float64) float64 { return 0.299*c[0] + 0.587*c[1] + 0.114*c[2] }
