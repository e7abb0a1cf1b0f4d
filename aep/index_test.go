package aep_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

// TestContentsAgreeWithTheIndex compares with what the samples' index says each project holds.
func TestContentsAgreeWithTheIndex(t *testing.T) {
	dir := aeptest.Samples(t)
	n := 0
	for _, row := range indexRows(t, dir) {
		cell := strings.Split(row, "\t")
		if len(cell) < 7 || !strings.HasPrefix(cell[6], "comps=") {
			continue
		}
		path := filepath.Join(dir, cell[0])
		if filepath.Ext(path) == ".mogrt" {
			path = projectOf(t, path)
		}
		p, err := aep.Open(context.Background(), path, aep.Limits{})
		if err != nil {
			t.Errorf("%s: %v", cell[0], err)
			continue
		}
		want := map[string]int{}
		for _, part := range strings.Fields(cell[6]) {
			key, value, _ := strings.Cut(part, "=")
			var v int
			if _, err := fmt.Sscan(value, &v); err == nil {
				want[key] = v
			}
		}
		for key, got := range contentsOf(p) {
			if got != want[key] {
				t.Errorf("%s: %d %s, want %d", cell[0], got, key, want[key])
			}
		}
		n++
	}
	if n == 0 {
		t.Fatal("the index describes no project")
	}
	t.Logf("samples: contents of %d projects compared", n)
}

func projectOf(t *testing.T, mogrt string) string {
	t.Helper()
	data := readFile(t, mogrt)
	_, u, err := unpack(t, data, aep.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return u.Project
}

func contentsOf(p *aep.Project) map[string]int {
	have := map[string]int{"comps": 0, "layers": 0, "footage": 0, "text": 0, "shape": 0, "keyframes": 0, "expr": 0, "fx": 0, "masks": 0}
	for _, it := range p.Items {
		if it.Footage != nil && it.Footage.Kind != aep.FootageSolid {
			have["footage"]++
		}
		if it.Comp == nil {
			continue
		}
		have["comps"]++
		for _, l := range it.Comp.Layers {
			have["layers"]++
			switch l.Kind {
			case aep.LayerText:
				have["text"]++
			case aep.LayerShape:
				have["shape"]++
			}
			have["fx"] += len(children(l.Props.Child("Effects")))
			have["masks"] += len(children(l.Props.Child("Masks")))
			walk(l.Props, func(q *aep.Property) {
				have["keyframes"] += len(q.Keys)
				if q.Expression != "" {
					have["expr"]++
				}
			})
		}
	}
	return have
}

func children(p *aep.Property) []*aep.Property {
	if p == nil {
		return nil
	}
	return p.Children
}
