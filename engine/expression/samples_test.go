package expression

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/engine/eval"
)

func TestExpressionsOfRealProjects(t *testing.T) {
	folder := aeptest.Samples(t)
	texts, failed := map[string]int{}, map[string]error{}
	projects, ran, good := 0, 0, 0
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".aep", ".aet", ".aepx":
		default:
			return nil
		}
		p, err := aep.Open(context.Background(), path, aep.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			return nil
		}
		aep.Complete(p)
		projects++
		ev := &eval.Evaluator{Project: p}
		m := New(Host{Project: p, Eval: ev})
		ev.Expressions = m
		each(p, func(ref eval.Ref) {
			for _, at := range []float64{0, 1} {
				texts[ref.Prop.Expression]++
				ran++
				if _, err := m.Evaluate(ref, eval.Plain(ref, at), at); err != nil {
					failed[ref.Prop.Expression] = err
				} else {
					good++
				}
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d projects, %d expressions of %d texts evaluated, %d gave a value", projects, ran, len(texts), good)
	if projects == 0 || ran == 0 {
		t.Error("the samples hold no expressions: nothing was tested")
	}
	for text, err := range failed {
		// These evaluate a file of their author's own disk.
		if strings.Contains(text, "$.evalFile(") && strings.Contains(err.Error(), "not part of the job") {
			continue
		}
		t.Errorf("%v\n%s", err, text)
	}
}

// each visits every property that has an expression, switched on or not.
func each(p *aep.Project, visit func(eval.Ref)) {
	var walk func(comp *aep.Item, l *aep.Layer, q *aep.Property)
	walk = func(comp *aep.Item, l *aep.Layer, q *aep.Property) {
		if q == nil {
			return
		}
		if q.Expression != "" {
			visit(eval.Ref{Comp: comp, Layer: l, Prop: q})
		}
		for _, c := range q.Children {
			walk(comp, l, c)
		}
	}
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			walk(it, l, l.Props)
		}
	}
}
