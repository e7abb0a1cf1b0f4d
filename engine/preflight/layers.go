package preflight

import (
	"context"
	"fmt"
	"slices"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/scene"
)

const (
	// moments is at how many times of its layer each expression is tried.
	moments = 10
	// maxValues limits how many values of the expressions of one composition are tried.
	maxValues = 20000
)

// looked is what was found in the layers of one composition.
type looked struct {
	findings    []aep.Finding
	expressions int // how many there are
}

// failing tells whether any expression fails.
func (l looked) failing() bool {
	return slices.ContainsFunc(l.findings, func(f aep.Finding) bool { return f.Kind == aep.ExpressionFinding })
}

// layers looks at the layers of a composition: at the fonts of their texts, and at their expressions, which it tries.
func (f *Preflight) layers(ctx context.Context, comp *scene.Comp) (looked, error) {
	if known, is := f.looks[comp.Item]; is {
		return known, context.Cause(ctx)
	}
	l := look{ctx: ctx, preflight: f, comp: comp.Item, found: newFindings(), fonts: make(map[string]bool)}
	for _, fault := range f.faults[comp.Item] {
		l.found.add(fault)
	}
	f.failing = l.fault
	for _, layer := range comp.Used() {
		if ctx.Err() != nil {
			break
		}
		l.layer(layer)
	}
	if ctx.Err() != nil {
		return looked{}, context.Cause(ctx)
	}
	if l.untried > 0 {
		l.found.add(bounded(comp.Item, fmt.Sprintf("%d of %d values of expressions were tried", l.values, l.values+l.untried)))
	}
	out := looked{l.found.list, l.expressions}
	f.looks[comp.Item] = out
	return out, nil
}

// look is a look at the layers of one composition.
type look struct {
	ctx       context.Context
	preflight *Preflight
	comp      *aep.Item
	found     *findings
	fonts     map[string]bool // that were looked for
	values    int
	untried   int // values that were one too many
	// expressions is how many were met.
	expressions int
}

// layer tries the expressions of a layer at times at which it is seen, and looks for the fonts of its texts.
func (l *look) layer(layer *scene.Layer) {
	e := l.preflight.eval
	driven := drivenOf(layer.Props, nil)
	l.expressions += len(driven)
	from, to := max(0, min(layer.In, layer.Out)), min(layer.Comp.Duration, max(layer.In, layer.Out))
	for i := range moments {
		t := from + (to-from)*(float64(i)+0.5)/moments
		e.BeginFrame()
		for _, p := range driven {
			if l.ctx.Err() != nil || l.preflight.failed[p] {
				continue
			}
			if l.values >= maxValues {
				l.untried++
				continue
			}
			l.values++
			e.Value(layer.At(p), t)
		}
		if doc, ok := layer.Document.At(e, t).(*aep.TextDocument); ok && doc != nil {
			l.document(layer, doc)
		}
		if len(driven) == 0 && !layer.Document.Varies() {
			return
		}
	}
}

// bounded is that a look at a composition did not see all of it.
func bounded(comp *aep.Item, what string) aep.Finding {
	return aep.Finding{Kind: aep.FeatureFinding, Composition: comp.Name, What: what, Detail: true}
}

func drivenOf(p *aep.Property, list []*aep.Property) []*aep.Property {
	if p == nil {
		return list
	}
	if eval.Driven(p) {
		list = append(list, p)
	}
	for _, c := range p.Children {
		list = drivenOf(c, list)
	}
	return list
}

func (l *look) fault(ref eval.Ref, err error) {
	f := l.preflight
	if f.failed[ref.Prop] {
		return
	}
	f.failed[ref.Prop] = true
	fault := aep.Finding{
		Kind: aep.ExpressionFinding, Composition: ref.Comp.Name, Layer: f.project.DisplayName(ref.Layer),
		What: fmt.Sprintf("the expression of '%s': %v", scene.DisplayName(ref.Prop), err),
	}
	l.found.add(fault)
	if ref.Comp != l.comp {
		f.faults[ref.Comp] = append(f.faults[ref.Comp], fault)
	}
}

func (l *look) document(layer *scene.Layer, doc *aep.TextDocument) {
	has := l.preflight.opt.HasFont
	for _, run := range doc.Runs {
		name := run.Style.Font
		if name == "" || l.fonts[name] {
			continue
		}
		l.fonts[name] = true
		if has == nil || !has(name) {
			l.found.add(aep.Finding{Kind: aep.FontFinding, Composition: layer.Comp.Item.Name, Layer: l.preflight.project.DisplayName(layer.Layer), What: name, Detail: true})
		}
	}
}
