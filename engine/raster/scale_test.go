package raster

import "testing"

func TestScaledChannelsNeverOverflowASum(t *testing.T) {
	for k := range uint32(256) {
		for v := range uint32(256) {
			p := v | v<<8 | v<<16 | v<<24
			got := scale(p, k)
			if d := int(got&255) - int((v*k+127)/255); d > 1 || d < -1 || got != got&255*0x01010101 {
				t.Fatalf("%d times %d/255 is %#x", v, k, got)
			}
			if got&255 > k || k == 255 && got != p {
				t.Fatalf("%d times %d/255 is %#x", v, k, got)
			}
		}
	}
}
