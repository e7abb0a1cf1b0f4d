package effect

import "overcrank/engine/raster"

// recolor gives each visible pixel of img the colour that of makes of its own. Colours are straight, from 0 to 1; what of returns may lie
// beyond. The transparency stays.
func recolor(img *raster.Image, of func(c [3]float64) [3]float64) {
	var before, after [4]uint8
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4 : i+4]
		if px[3] == 0 {
			continue
		}
		if now := [4]uint8(px); now != before {
			before, after = now, now
			a := float64(px[3])
			c := of([3]float64{float64(px[0]) / a, float64(px[1]) / a, float64(px[2]) / a})
			for j := range 3 {
				after[j] = channel(c[j]*a, a)
			}
		}
		copy(px, after[:])
	}
}

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
