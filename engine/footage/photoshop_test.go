package footage

import (
	"bytes"
	"image/color"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// layered is a file of another program: 40 x 30 pixels, with a layer 'ground' of that size and a layer 'badge ✓' of 12 x 10 at 5, 7.
var layered = filepath.Join("photoshop", "testdata", "layered.psd")

func TestLayersOfAPhotoshopFileAreFootage(t *testing.T) {
	for _, c := range []struct {
		name  string
		layer PhotoshopLayer
		w, h  int
		x, y  int
		want  color.RGBA
	}{
		{"all together", PhotoshopLayer{}, 40, 30, 20, 10, color.RGBA{10, 20, 30, 255}},
		{"as large as the file", PhotoshopLayer{Name: "badge ✓", Width: 40, Height: 30}, 40, 30, 7, 9, color.RGBA{0, 128, 0, 128}},
		{"as large as the layer", PhotoshopLayer{Name: "badge ✓", Width: 12, Height: 10}, 12, 10, 2, 2, color.RGBA{0, 128, 0, 128}},
		{"outside of the layer", PhotoshopLayer{Name: "badge ✓", Width: 40, Height: 30}, 40, 30, 30, 20, color.RGBA{}},
		{"behind its mask", PhotoshopLayer{Name: "badge ✓", Width: 12, Height: 10}, 12, 10, 9, 2, color.RGBA{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, layered, Interpretation{Layer: c.layer})
			if !s.Info.Still || s.Info.Width != c.w || s.Info.Height != c.h {
				t.Fatalf("info %+v", s.Info)
			}
			img, err := s.Frame(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := img.RGBAAt(c.x, c.y); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestWhatIsNotDrawnOfALayerIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		change []string // in the first layer, the ground
		want   Info
	}{
		"nothing":               {nil, Info{Width: 40, Height: 30}},
		"styles":                {[]string{"8BIMluni", "8BIMlfx2"}, Info{Width: 40, Height: 30, Styled: true}},
		"a fill with pixels":    {[]string{"8BIMluni", "8BIMSoCo"}, Info{Width: 40, Height: 30}},
		"a fill without pixels": {[]string{"8BIMluni", "8BIMSoCo", "\x00\x00\x00\x1e\x00\x00\x00\x28\x00\x03", "\x00\x00\x00\x00\x00\x00\x00\x28\x00\x03"}, Info{Lacks: "a fill without pixels"}},
	} {
		raw, err := os.ReadFile(layered)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(c.change); i += 2 {
			raw = bytes.Replace(raw, []byte(c.change[i]), []byte(c.change[i+1]), 1)
		}
		path := filepath.Join(t.TempDir(), "layered.psd")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := PhotoshopLayer{Name: "ground", Width: 40, Height: 30}.Probe(path)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestALayerThatIsNotThereIsNamed(t *testing.T) {
	_, err := OpenAs(t.Context(), layered, Interpretation{Layer: PhotoshopLayer{Name: "Logo"}})
	if err == nil || !strings.Contains(err.Error(), "'layered.psd' can't be read: it has no layer 'Logo'") {
		t.Errorf("got %v", err)
	}
}

func TestAPhotoshopFileIsVerified(t *testing.T) {
	if err := Verify(t.Context(), layered); err != nil {
		t.Error(err)
	}
}
