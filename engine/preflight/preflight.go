// Package preflight says, without drawing a frame, what the embedded engine would draw otherwise than After Effects.
package preflight

import (
	"context"
	"fmt"
	"slices"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/scene"
	"overcrank/engine/text"
)

// Verdict is how near to After Effects' picture a composition would be drawn.
type Verdict string

// The verdicts.
const (
	Exact  Verdict = "exact"  // nothing is missing
	Nearly Verdict = "nearly" // what is missing changes details: a stand-in for a font, motion blur
	Not    Verdict = "not"    // something that is meant to be seen is missing
)

// Report is what is known of a composition.
type Report struct {
	Composition string    `json:"composition"`
	Verdict     Verdict   `json:"verdict"`
	Findings    []Finding `json:"findings"`
}

// Kind is what a Finding is about.
type Kind string

// The kinds of findings.
const (
	Feature    Kind = "feature"    // a layer has something that is not drawn
	Font       Kind = "font"       // a font is not there
	Footage    Kind = "footage"    // a file is not there
	Expression Kind = "expression" // an expression fails
)

// Finding is something that would be drawn otherwise.
type Finding struct {
	Kind        Kind   `json:"kind"`
	Composition string `json:"composition,omitempty"` // that holds the layer
	Layer       string `json:"layer,omitempty"`
	What        string `json:"what"` // such as "effect 'Glow'", the font's name, the file's name, the error
	// Detail tells whether only a detail of the picture is concerned.
	Detail bool `json:"detail"`
}

// Options are what a render would have.
type Options struct {
	Fonts *text.Book // nil does not look at fonts
	// Expressions makes the machine that evaluates expressions; nil does not look at them.
	Expressions func(e *eval.Evaluator) eval.Expressions
}

// moments is at how many times of its layer each expression is tried.
const moments = 10

// maxValues limits how many values of expressions are tried.
const maxValues = 20000

// Look reports on a composition of a project, which must be complete (aep.Complete) and whose files were searched for (aep.Resolve). Its
// only error is the end of ctx.
func Look(ctx context.Context, p *aep.Project, comp *aep.Item, opt Options) (Report, error) {
	r := Report{Composition: comp.Name, Findings: []Finding{}}
	s := scene.Compile(p, comp)
	for _, lack := range s.Lacks {
		r.add(Finding{Feature, lack.Comp.Name, p.DisplayName(lack.Layer), lack.What, lack.Detail})
	}
	for _, use := range p.Uses(comp) {
		if use.Item.Footage.File.Resolved == "" {
			r.add(Finding{Footage, use.Comp.Name, p.DisplayName(use.Layer), use.Item.FileName(), false})
		}
	}
	l := look{ctx: ctx, project: p, opt: opt, report: &r, eval: &eval.Evaluator{Project: p}, failed: make(map[*aep.Property]bool), fonts: make(map[string]bool)}
	l.eval.OnError = l.fault
	if opt.Expressions != nil {
		l.eval.Expressions = opt.Expressions(l.eval)
	}
	for _, c := range s.Comps() {
		for _, layer := range c.Used() {
			if err := ctx.Err(); err != nil {
				return Report{}, context.Cause(ctx)
			}
			l.layer(layer)
		}
	}
	r.Verdict = r.verdict()
	return r, nil
}

func (r *Report) add(f Finding) {
	if !slices.Contains(r.Findings, f) {
		r.Findings = append(r.Findings, f)
	}
}

func (r *Report) verdict() Verdict {
	v := Exact
	for _, f := range r.Findings {
		if !f.Detail {
			return Not
		}
		v = Nearly
	}
	return v
}

// look is one look at a composition.
type look struct {
	ctx     context.Context
	project *aep.Project
	opt     Options
	report  *Report
	eval    *eval.Evaluator
	failed  map[*aep.Property]bool // whose expression has failed
	fonts   map[string]bool        // that were looked for
	values  int
}

// layer tries the expressions of a layer at times at which it is seen, and looks for the fonts of its texts.
func (l *look) layer(layer *scene.Layer) {
	driven := drivenOf(layer.Props, nil)
	from, to := max(0, min(layer.In, layer.Out)), min(layer.Comp.Duration, max(layer.In, layer.Out))
	for i := range moments {
		t := from + (to-from)*(float64(i)+0.5)/moments
		l.eval.BeginFrame()
		for _, p := range driven {
			if l.ctx.Err() != nil || l.values >= maxValues || l.failed[p] {
				continue
			}
			l.values++
			l.eval.Value(layer.At(p), t)
		}
		if doc, ok := layer.Document.At(l.eval, t).(*aep.TextDocument); ok && doc != nil {
			l.document(layer, doc)
		}
		if len(driven) == 0 && !layer.Document.Varies() {
			return
		}
	}
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

func (l *look) fault(ref eval.Ref, _ float64, err error) {
	if l.failed[ref.Prop] {
		return
	}
	l.failed[ref.Prop] = true
	l.report.add(Finding{
		Expression, ref.Comp.Name, l.project.DisplayName(ref.Layer),
		fmt.Sprintf("the expression of '%s': %v", scene.DisplayName(ref.Prop), err), false,
	})
}

func (l *look) document(layer *scene.Layer, doc *aep.TextDocument) {
	if l.opt.Fonts == nil {
		return
	}
	for _, run := range doc.Runs {
		name := run.Style.Font
		if name == "" || l.fonts[name] {
			continue
		}
		l.fonts[name] = true
		if !l.opt.Fonts.Has(name) {
			l.report.add(Finding{Font, layer.Comp.Item.Name, l.project.DisplayName(layer.Layer), name, true})
		}
	}
}
