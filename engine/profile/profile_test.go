package profile

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

// TestPrimariesAreThoseOfTheStandard compares with the columns of the profile that IEC published for sRGB.
func TestPrimariesAreThoseOfTheStandard(t *testing.T) {
	p, ok := Named("sRGB IEC61966-2.1")
	if !ok {
		t.Fatal("sRGB is not known")
	}
	want := matrix{{0.43607, 0.38515, 0.14307}, {0.22249, 0.71687, 0.06061}, {0.01392, 0.09708, 0.71410}}
	for i := range want {
		for j := range want[i] {
			if math.Abs(p.toXYZ[i][j]-want[i][j]) > 1e-3 {
				t.Errorf("row %d, column %d: %.5f, want %.5f", i, j, p.toXYZ[i][j], want[i][j])
			}
		}
	}
}

func TestCurvesAndTheirInverses(t *testing.T) {
	for _, k := range known {
		light, value := Lookup(k.curve.Light), Lookup(k.curve.Value)
		for v := -0.5; v < 3; v += 0.013 {
			if back := k.curve.Value(k.curve.Light(v)); math.Abs(back-v) > 2e-4 {
				t.Fatalf("%s: %.4f comes back as %.4f", k.names[0], v, back)
			}
			if back := value(light(v)); math.Abs(back-v) > 1e-3 {
				t.Fatalf("%s: %.4f comes back as %.4f from kept values", k.names[0], v, back)
			}
		}
	}
}

func TestWhiteIsWhiteInEverySpace(t *testing.T) {
	for _, from := range known {
		for _, to := range known {
			p, q := &Profile{Curve: from.curve, toXYZ: from.of.toXYZ()}, &Profile{Curve: to.curve, toXYZ: to.of.toXYZ()}
			for i, v := range p.To(q)([3]float64{1, 1, 1}) {
				if math.Abs(v-1) > 1e-3 {
					t.Errorf("white of %s has channel %d at %.4f in %s", from.names[0], i, v, to.names[0])
				}
			}
		}
	}
}

// small is a profile with the primaries of XYZ itself and a curve.
func small(curve []byte) []byte {
	icc := make([]byte, 128)
	copy(icc[16:], "RGB XYZ ")
	copy(icc[36:], "acsp")
	names := []string{"rXYZ", "gXYZ", "bXYZ", "gTRC"}
	icc = binary.BigEndian.AppendUint32(icc, uint32(len(names)))
	at := uint32(len(icc) + 12*len(names))
	var body []byte
	for i, name := range names {
		data := curve
		if i < 3 {
			data = make([]byte, 20)
			copy(data, "XYZ ")
			binary.BigEndian.PutUint32(data[8+4*i:], 1<<16)
		}
		icc = append(icc, name...)
		icc = binary.BigEndian.AppendUint32(icc, at+uint32(len(body)))
		icc = binary.BigEndian.AppendUint32(icc, uint32(len(data)))
		body = append(body, data...)
	}
	return append(icc, body...)
}

func parametric(kind uint16, values ...float64) []byte {
	b := append([]byte("para\x00\x00\x00\x00"), byte(kind>>8), byte(kind), 0, 0)
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(v*65536))))
	}
	return b
}

func TestCurvesOfFiles(t *testing.T) {
	for name, c := range map[string]struct {
		curve    []byte
		at, want float64
	}{
		"a power":          {[]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00"), 0.5, 0.25},
		"light itself":     {[]byte("curv\x00\x00\x00\x00\x00\x00\x00\x00"), 0.5, 0.5},
		"a table":          {[]byte("curv\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x40\x00\xff\xff"), 0.25, 0.125},
		"that of sRGB":     {parametric(3, 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045), 0.5, 0.21404},
		"one from a place": {parametric(1, 2, 2, -1), 0.25, 0},
	} {
		p, err := ICC(small(c.curve))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := p.Curve.Light(c.at); math.Abs(got-c.want) > 1e-3 {
			t.Errorf("%s: light of %g is %.4f, want %.4f", name, c.at, got, c.want)
		}
	}
}

func FuzzCarried(f *testing.F) {
	f.Add(small(parametric(4, 2.4, 1, 0, 1, 0, 0, 0)))
	f.Add(append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x04iCCP"), "a\x00\x00\x00"...))
	f.Add(append([]byte("\xff\xd8\xff\xe2\x00\x20ICC_PROFILE\x00\x01\x01"), small(nil)...))
	f.Add(tiffFile("II*\x00", binary.LittleEndian, small(nil)))
	f.Add(photoshopFile(small(nil)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func() (*Profile, error){
			func() (*Profile, error) { return ICC(data) },
			func() (*Profile, error) { return carried(bytes.NewReader(data)) },
		} {
			p, err := read()
			if err != nil || p == nil {
				continue
			}
			for _, v := range p.To(Video())([3]float64{p.Curve.Light(0.5), p.Curve.Light(0), p.Curve.Light(1)}) {
				_ = v
			}
		}
	})
}
