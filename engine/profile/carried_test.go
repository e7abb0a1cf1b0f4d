package profile

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// joinedBytes writes values one after the other.
func joinedBytes(order binary.ByteOrder, values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		_ = binary.Write(&b, order, v)
	}
	return b.Bytes()
}

// tiffFile is the head of a TIFF file with two fields, of which the second is a profile behind them.
func tiffFile(mark string, order binary.ByteOrder, profile []byte) []byte {
	fields := joinedBytes(order, []byte(mark), uint32(8), uint16(2), uint16(256), uint16(3), uint32(1), uint32(40), uint16(34675), uint16(7), uint32(len(profile)), uint32(38), uint32(0))
	return append(fields, profile...)
}

// photoshopFile is the head of a Photoshop file with a palette, and two resources of which the second is a profile.
func photoshopFile(profile []byte) []byte {
	resources := joinedBytes(binary.BigEndian, []byte("8BIM"), uint16(1057), []byte("\x02ab\x00"), uint32(3), []byte("abc\x00"),
		[]byte("8BIM"), uint16(1039), uint16(0), uint32(len(profile)), profile, make([]byte, len(profile)%2))
	return joinedBytes(binary.BigEndian, []byte("8BPS\x00\x01"), make([]byte, 20), uint32(5), []byte("palet"), uint32(len(resources)), resources)
}

func TestProfilesOfTIFFAndPhotoshopFilesAreRead(t *testing.T) {
	known := small([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00")) // a power of 2
	for name, c := range map[string]struct {
		file []byte
		has  bool
	}{
		"TIFF of Intel's order":    {tiffFile("II*\x00", binary.LittleEndian, known), true},
		"TIFF of Motorola's order": {tiffFile("MM\x00*", binary.BigEndian, known), true},
		"Photoshop":                {photoshopFile(known), true},
		"TIFF without one":         {joinedBytes(binary.LittleEndian, []byte("II*\x00"), uint32(8), uint16(0), uint32(0)), false},
		"Photoshop without one":    {joinedBytes(binary.BigEndian, []byte("8BPS\x00\x01"), make([]byte, 20), uint32(0), uint32(0)), false},
	} {
		got, err := carried(bytes.NewReader(c.file))
		if err != nil || (got != nil) != c.has {
			t.Errorf("%s: %v, %v", name, got, err)
		} else if c.has && got.Curve.Light(0.5) != 0.25 {
			t.Errorf("%s: light of 0.5 is %g, want 0.25", name, got.Curve.Light(0.5))
		}
		for cut := 8; c.has && cut < len(c.file)-8; cut++ {
			if got, err := carried(bytes.NewReader(c.file[:cut])); err == nil && got != nil && cut < len(c.file)-len(known) {
				t.Errorf("%s of %d bytes has a profile", name, cut)
			}
		}
	}
}
