package aep_test

import (
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

// The samples of one parser's own tests are named for the one setting in which they differ.

func TestHeaderSettings(t *testing.T) {
	const dir = "boltframe+aftereffects-aep-parser/data"
	for file, want := range map[string]struct {
		engine string
		bits   int
	}{
		"ExEn-es.aep": {"extendscript", 8},
		"ExEn-js.aep": {"javascript-1.0", 8},
		"BPC-16.aep":  {"javascript-1.0", 16},
		"BPC-32.aep":  {"javascript-1.0", 32},
	} {
		p := openSample(t, dir, file)
		if p.ExpressionEngine != want.engine || p.BitsPerChannel != want.bits || p.Version.OS != "windows" {
			t.Errorf("%s: %q, %d bits, %+v", file, p.ExpressionEngine, p.BitsPerChannel, p.Version)
		}
	}
}

// TestVersionsAgreeWithTheIndex compares with the versions that the samples' index was told by other readers.
func TestVersionsAgreeWithTheIndex(t *testing.T) {
	dir := aeptest.Samples(t)
	n := 0
	for _, row := range indexRows(t, dir) {
		cell := strings.Split(row, "\t")
		if len(cell) < 6 || !strings.HasSuffix(cell[0], ".aep") && !strings.HasSuffix(cell[0], ".aet") && !strings.HasSuffix(cell[0], ".aepx") {
			continue
		}
		version, _, _ := strings.Cut(cell[5], "x")
		p := openSample(t, cell[0])
		if got := p.Version.String(); got != version {
			t.Errorf("%s: version %s, want %s", cell[0], got, version)
		}
		n++
	}
	if n == 0 {
		t.Fatal("the index names no project")
	}
	t.Logf("samples: %d versions compared", n)
}

func TestLayerSwitches(t *testing.T) {
	p := openSample(t, "boltframe+aftereffects-aep-parser/data", "Layer-01.aep")
	has := map[string]func(*aep.Layer) bool{
		"Transformations Collapsed": func(l *aep.Layer) bool { return l.Collapse },
		"Motion Blur":               func(l *aep.Layer) bool { return l.MotionBlur },
		"Locked":                    func(l *aep.Layer) bool { return l.Locked },
		"Shy":                       func(l *aep.Layer) bool { return l.Shy },
		"Adjustment":                func(l *aep.Layer) bool { return l.Adjustment },
		"3D":                        func(l *aep.Layer) bool { return l.ThreeD },
		"Guide":                     func(l *aep.Layer) bool { return l.Guide },
		"Frame Mix":                 func(l *aep.Layer) bool { return l.FrameBlend },
		"Pixel Motion":              func(l *aep.Layer) bool { return l.FrameBlend && l.PixelMotion },
		"Wireframe Quality":         func(l *aep.Layer) bool { return l.Quality == 0 },
		"Draft Quality":             func(l *aep.Layer) bool { return l.Quality == 1 },
	}
	found := 0
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			for name, switched := range has {
				want := l.Name == name || name == "Frame Mix" && l.Name == "Pixel Motion"
				if switched(l) != want {
					t.Errorf("layer %q: %s is %v", l.Name, name, !want)
				}
				if want {
					found++
				}
			}
		}
	}
	if found != len(has)+1 {
		t.Errorf("%d switches were found, want %d", found, len(has)+1)
	}
}

func TestItemsOfFolders(t *testing.T) {
	p := openSample(t, "boltframe+aftereffects-aep-parser/data", "Item-01.aep")
	comp := p.Composition("Comp 02")
	if comp == nil {
		t.Fatal("Comp 02 is missing")
	}
	c := comp.Comp
	if c.Width != 452 || c.Height != 639 || c.FrameTicks != 800 || c.TicksPerSecond != 23976 {
		t.Errorf("composition %+v", c)
	}
	if comp.Parent == nil || comp.Parent.Kind != aep.ItemFolder {
		t.Errorf("its folder is %+v", comp.Parent)
	}
	for _, it := range p.Items {
		if it.Name == "Missing Footage" && it.Footage.Kind != aep.FootagePlaceholder {
			t.Errorf("the placeholder is %+v", it.Footage)
		}
	}
	for _, name := range []string{"Blue", "Green", "Red"} {
		for _, it := range p.Items {
			if it.Name == name+" Solid" && (it.Footage == nil || it.Footage.Kind != aep.FootageSolid || !it.Footage.Still) {
				t.Errorf("%s: %+v", it.Name, it.Footage)
			}
		}
	}
}

func TestMarkersOfLayers(t *testing.T) {
	p := openSample(t, "airbnb+lottie-android/After Effects Samples/Test", "LottieTests.aep")
	var comments []string
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			for _, m := range l.Markers {
				comments = append(comments, m.Comment)
			}
		}
	}
	if len(comments) != 1 || !strings.HasPrefix(comments[0], "Change colors in the") {
		t.Errorf("markers %q", comments)
	}
}

func TestExpressionsAndEffectsOfTheFilm(t *testing.T) {
	p := openSample(t, "inlife+nexrender-boilerplate/assets", "nm05ae12.aet")
	aep.Complete(p)
	comp := p.Composition("main").Comp
	expressions := 0
	var spectrum *aep.Property
	for _, l := range comp.Layers {
		walk(l.Props, func(q *aep.Property) {
			if q.ExpressionOn {
				expressions++
			}
			if q.Match == "ADBE AudSpect" {
				spectrum = q
			}
		})
	}
	if expressions != 7 {
		t.Errorf("%d expressions, want 7", expressions)
	}
	for name, want := range map[string]float64{
		"Start Point":     1069.125, // on disk
		"End Frequency":   400,
		"Start Frequency": 20, // left out of the file
		"Side Options":    1,
		"Display Options": 1,
	} {
		if got := spectrum.Child(name).Float(-1); got != want {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	if choices := spectrum.Child("Side Options").Choices; len(choices) != 3 || choices[0] != "Side A" {
		t.Errorf("choices %q", choices)
	}
}

func walk(p *aep.Property, visit func(*aep.Property)) {
	visit(p)
	for _, c := range p.Children {
		walk(c, visit)
	}
}

func TestSeparatedPositions(t *testing.T) {
	p := openSample(t, "airbnb+lottie-android/After Effects Samples/Test", "LottieTests.aep")
	separated := 0
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			tr := l.Props.Child("Transform")
			if position := tr.Child("Position"); position != nil && position.Separated {
				separated++
				if len(tr.Child("X Position").Keys) == 0 || tr.Child("X Position").Hidden {
					t.Errorf("layer %q: X Position %+v", l.Name, tr.Child("X Position"))
				}
			}
		}
	}
	if separated != 1 {
		t.Errorf("%d separated positions, want 1", separated)
	}
}
