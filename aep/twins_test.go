package aep_test

import (
	"reflect"
	"testing"

	"overcrank/aep"
)

func TestBothSpellingsOfAProjectReadTheSame(t *testing.T) {
	const dir = "edforman-75+aftereffects-automation/sample_files"
	binary := openSample(t, dir, "test-after-effects-project.aep")
	xml := openSample(t, dir, "test-after-effects-project.aepx")
	if binary.Version != xml.Version || binary.BitsPerChannel != xml.BitsPerChannel || binary.ExpressionEngine != xml.ExpressionEngine {
		t.Errorf("headers differ: %+v and %+v", binary, xml)
	}
	if len(binary.Items) != len(xml.Items) || len(binary.Items) == 0 {
		t.Fatalf("%d items in the one, %d in the other", len(binary.Items), len(xml.Items))
	}
	// The two were saved in different places, and one of them without its footage.
	for _, p := range []*aep.Project{binary, xml} {
		for _, it := range p.Items {
			if it.Footage != nil {
				it.Footage.Missing = false
				it.Footage.File.FullPath = it.Footage.File.Base()
			}
		}
	}
	layers := 0
	for i, a := range binary.Items {
		b := xml.Items[i]
		if a.Comp != nil && b.Comp != nil {
			for j, l := range a.Comp.Layers {
				layers++
				if !reflect.DeepEqual(l, b.Comp.Layers[j]) {
					t.Errorf("layer %q of %q differs", binary.DisplayName(l), a.Name)
				}
			}
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("item %q differs:\n%+v %+v\n%+v %+v", a.Name, a, a.Footage, b, b.Footage)
		}
	}
	if layers == 0 {
		t.Fatal("no layer was compared")
	}
}

func TestOldXMLAndNewBinaryOfAFilmAgree(t *testing.T) {
	const dir = "inlife+nexrender-boilerplate/assets"
	older := openSample(t, dir, "nm05ae12.aepx")
	newer := openSample(t, dir, "nm05ae12.aet")
	a, b := older.Composition("main"), newer.Composition("main")
	if a == nil || b == nil {
		t.Fatal("a composition is missing")
	}
	aep.Complete(older)
	aep.Complete(newer)
	if len(a.Comp.Layers) != 12 || len(b.Comp.Layers) != 12 {
		t.Fatalf("%d and %d layers, want 12", len(a.Comp.Layers), len(b.Comp.Layers))
	}
	for i, l := range a.Comp.Layers {
		m := b.Comp.Layers[i]
		if older.DisplayName(l) != newer.DisplayName(m) || l.Kind != m.Kind || l.In != m.In || l.Start != m.Start || l.Blend != m.Blend {
			t.Errorf("layer %d: %q %+v and %q %+v", i+1, older.DisplayName(l), l, newer.DisplayName(m), m)
		}
		for _, path := range [][]string{{"Transform", "Position"}, {"Transform", "Opacity"}, {"Transform", "Anchor Point"}, {"Text", "Source Text"}} {
			p, q := l.Props.Find(path...), m.Props.Find(path...)
			if (p == nil) != (q == nil) {
				t.Errorf("layer %q: %v is in one only", l.Name, path)
				continue
			}
			if p == nil {
				continue
			}
			if d, ok := p.Value.(*aep.TextDocument); ok {
				if e := q.Value.(*aep.TextDocument); d.Text != e.Text || d.Style().Font != e.Style().Font || d.Style().Size != e.Style().Size {
					t.Errorf("layer %q: %+v and %+v", l.Name, d, e)
				}
				continue
			}
			if !reflect.DeepEqual(p.Value, q.Value) || p.Expression != q.Expression {
				t.Errorf("layer %q %v: %v %q and %v %q", l.Name, path, p.Value, p.Expression, q.Value, q.Expression)
			}
		}
	}
}
