package effect

import (
	"slices"
	"testing"
)

func TestNumbersAreWrittenAsTheirType(t *testing.T) {
	for _, c := range []struct {
		values params
		want   string
	}{
		{params{"0003": one(3.14159)}, "3.142"},
		{params{"0003": one(99.6), "0004": one(0)}, "100"},
		{params{"0003": one(-2), "0004": one(1)}, "-2.0"},
		{params{"0001": one(3), "0003": one(30*3661 + 7)}, "01:01:01:07"},
		{params{"0001": one(4), "0003": one(26)}, "00:00:01:01"},
		{params{"0001": one(11), "0003": one(255)}, "ff"},
	} {
		r := &rig{T: t}
		r.draw("ADBE Numbers2", c.values, white(8, 8))
		if !slices.Equal(r.wrote, []string{c.want}) {
			t.Errorf("%v is written as %q, want %q", c.values, r.wrote, c.want)
		}
	}
}

func TestNumbersStandAroundTheirPosition(t *testing.T) {
	img := white(100, 100)
	(&rig{T: t}).draw("ADBE Numbers2", params{"0003": one(7), "0004": one(0), "0006": one(20), "0007": one(40, 60)}, img)
	if got, want := img.RGBAAt(40, 55), ([4]uint8{255, 0, 0, 255}); [4]uint8{got.R, got.G, got.B, got.A} != want {
		t.Errorf("within the number: %v, want %v", got, want)
	}
	if img.RGBAAt(48, 55).A != 0 || img.RGBAAt(40, 62).A != 0 {
		t.Error("something is seen beside the number")
	}
}

// The figures are those of SMPTE ST 12-1: drop-frame timecode leaves out ;00 and ;01 of each minute but every tenth.
func TestTimecodes(t *testing.T) {
	for _, c := range []struct {
		frame, rate int
		drop        bool
		want        string
	}{
		{0, 24, false, "00:00:00:00"}, {24*60 - 1, 24, false, "00:00:59:23"}, {-5, 25, false, "-00:00:00:05"},
		{1799, 30, true, "00:00:59;29"}, {1800, 30, true, "00:01:00;02"}, {17981, 30, true, "00:09:59;29"}, {17982, 30, true, "00:10:00;00"},
		{107892, 30, true, "01:00:00;00"}, {3600, 60, true, "00:01:00;04"}, {17982 + 1800, 30, true, "00:11:00;02"},
	} {
		if got := timecode(c.frame, c.rate, c.drop); got != c.want {
			t.Errorf("frame %d of %d per second, dropping %v: %s, want %s", c.frame, c.rate, c.drop, got, c.want)
		}
	}
}

func TestTimecodeWritesTheTime(t *testing.T) {
	for _, c := range []struct {
		values params
		want   string
	}{
		{nil, "00:00:02:10"}, // at 25 frames per second
		{params{"0002": one(2)}, "00060"},
		{params{"0002": one(3), "0004": one(4)}, "0004+00"},
		{params{"0009": one(3), "0003": one(10), "0004": one(5)}, "00:00:02:09"},
	} {
		r := &rig{T: t, time: 2.4}
		r.draw("ADBE Timecode", c.values, white(8, 8))
		if !slices.Equal(r.wrote, []string{c.want}) {
			t.Errorf("%v: %q, want %q", c.values, r.wrote, c.want)
		}
	}
}
