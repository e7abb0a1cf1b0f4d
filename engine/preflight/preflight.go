// Package preflight says, without drawing a frame, what the embedded engine would draw differently from After Effects.
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

// Options are what a render would have, and how much is told.
type Options struct {
	// HasFont tells whether a font is there; nil means that none is.
	HasFont func(name string) bool
	// Fonts sets the text of footage; nil leaves that out.
	Fonts *text.Book
	// Expressions makes the machine that evaluates expressions; nil does not look at them.
	Expressions func(e *eval.Evaluator) eval.Expressions
	// Each is how many findings and how many features are told of one composition, All how many findings and Needs how many features of all
	// together; the rest is counted. 0 means all.
	Each, All, Needs int
}

// mostCompositions is how many compositions of a project are looked at.
const mostCompositions = 2000

// Preflight looks at the compositions of one project.
type Preflight struct {
	project *aep.Project
	items   []*aep.Item // of the project as it was given, without the copies that layers with values of their own show
	opt     Options
	eval    *eval.Evaluator
	looks   map[*aep.Item]looked        // at the layers of a composition, whichever others show it
	failed  map[*aep.Property]bool      // whose expression has failed; the evaluator may tell it once
	faults  map[*aep.Item][]aep.Finding // such expressions of compositions that others were looked at for
	failing func(eval.Ref, error)       // hears of expressions that fail
	files   map[string]read             // files that were read
	unread  map[string]bool             // files of the composition that were one too many
}

// New prepares to look at a project, which must be complete (aep.Complete) and whose files were searched for (aep.Resolve).
func New(p *aep.Project, opt Options) *Preflight {
	items := p.Items
	p = p.Instances()
	f := &Preflight{
		project: p, items: items, opt: opt, eval: &eval.Evaluator{Project: p},
		looks: make(map[*aep.Item]looked), failed: make(map[*aep.Property]bool), faults: make(map[*aep.Item][]aep.Finding),
		files: make(map[string]read),
	}
	f.eval.OnError = func(ref eval.Ref, _ float64, err error) { f.failing(ref, err) }
	if opt.Expressions != nil {
		f.eval.Expressions = opt.Expressions(f.eval)
	}
	return f
}

// All looks at all compositions. Of what may be told, those come first that no other shows: they are what people render. When ctx ends
// or there are too many, Stopped says so, and the compositions that were not looked at are left out.
func (f *Preflight) All(ctx context.Context) *aep.Preflight {
	out := &aep.Preflight{Compositions: []aep.Forecast{}}
	left, leftNeeds, within := f.opt.All, f.opt.Needs, f.project.Sources()
	known := make(map[*aep.Item]aep.Forecast)
	for n, it := range f.roots(within) {
		if n == mostCompositions {
			out.Stopped = aep.StoppedByNumber
			break
		}
		c, err := f.Look(ctx, it)
		if err != nil {
			out.Stopped = aep.StoppedByTime
			break
		}
		if f.opt.All > 0 {
			cut(&c, left)
			left -= len(c.Findings)
		}
		if f.opt.Needs > 0 {
			cutNeeds(&c, leftNeeds)
			leftNeeds -= len(c.Needs)
		}
		known[it] = c
	}
	for _, it := range f.items {
		if c, looked := known[it]; looked {
			out.Compositions = append(out.Compositions, c)
		}
	}
	return out
}

// roots are the compositions, those first that are not within others.
func (f *Preflight) roots(within map[uint32]bool) (list []*aep.Item) {
	for _, nested := range []bool{false, true} {
		for _, it := range f.items {
			if it.Comp != nil && within[it.ID] == nested {
				list = append(list, it)
			}
		}
	}
	return list
}

// Look looks at a composition with those that it shows. Its only error is the end of ctx.
func (f *Preflight) Look(ctx context.Context, comp *aep.Item) (aep.Forecast, error) {
	if own := f.project.Item(comp.ID); own != nil {
		comp = own
	}
	all := newFindings()
	s := scene.Compile(f.project, comp)
	needs := needsOf(s)
	f.unread = make(map[string]bool)
	for _, lack := range append(s.Notes(), s.Lacks...) {
		all.lack(f.project, lack)
	}
	for _, use := range f.project.Uses(comp) {
		needs.file(use.Item)
		if use.Item.Footage.File.Resolved == "" {
			all.add(aep.Finding{Kind: aep.FootageFinding, Composition: use.Comp.Name, Layer: f.project.DisplayName(use.Layer), What: use.Item.FileName()})
			continue
		}
		lacks, fonts := f.within(ctx, use)
		for _, lack := range lacks {
			all.lack(f.project, lack)
			needs.lack(lack)
		}
		for _, font := range fonts {
			all.add(font)
		}
	}
	if n := len(f.unread); n > 0 {
		all.add(bounded(comp, fmt.Sprintf("%d of %d files were read", maxFiles, maxFiles+n)))
	}
	for _, c := range s.Comps() {
		of, err := f.layers(ctx, c)
		if err != nil {
			return aep.Forecast{}, err
		}
		needs.expressions(of.expressions, of.failing())
		for _, finding := range of.findings {
			all.add(finding)
		}
	}
	// What counts most comes first, so that a list that is cut loses what counts least.
	slices.SortStableFunc(all.list, func(a, b aep.Finding) int { return rank(a) - rank(b) })
	out := aep.Forecast{ID: comp.ID, Composition: short(comp.Name), Findings: all.list, Needs: needs.sorted()}
	out.Verdict = out.Judge()
	if f.opt.Each > 0 {
		cut(&out, f.opt.Each)
		cutNeeds(&out, f.opt.Each)
	}
	return out, nil
}

func rank(f aep.Finding) int {
	if f.Detail {
		return 1
	}
	return 0
}

// cut keeps the first findings of a forecast and counts the others.
func cut(c *aep.Forecast, keep int) {
	if more := len(c.Findings) - keep; more > 0 {
		c.Findings, c.More = c.Findings[:keep:keep], c.More+more
	}
}

// cutNeeds is cut for the features of a forecast.
func cutNeeds(c *aep.Forecast, keep int) {
	if more := len(c.Needs) - keep; more > 0 {
		c.Needs, c.MoreNeeds = c.Needs[:keep:keep], c.MoreNeeds+more
	}
}
