package aep

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf16"
)

// maxDifferences limits how many differences are reported.
const maxDifferences = 100

// differences describes, a sentence each, what of the project want is missing or different in got.
func differences(got, want *Project) []string {
	d := &comparison{got: got, want: want}
	items := make(map[uint32]*Item, len(got.Items))
	for _, it := range got.Items {
		items[it.ID] = it
	}
	for _, it := range want.Items {
		d.item(items[it.ID], it)
		delete(items, it.ID)
	}
	for _, it := range got.Items {
		if items[it.ID] == it {
			d.add("item '%s' is still in the project", it.Name)
		}
	}
	return d.found
}

type comparison struct {
	got, want *Project
	found     []string
}

func (d *comparison) add(format string, args ...any) {
	if len(d.found) < maxDifferences {
		d.found = append(d.found, fmt.Sprintf(format, args...))
	}
}

func (d *comparison) item(got, want *Item) {
	switch {
	case got == nil || got.Kind != want.Kind:
		d.add("item '%s' could not be added", want.Name)
	case got.Comp != nil:
		d.composition(want.Name, got.Comp, want.Comp)
	case got.Footage != nil && !sameFootage(*got.Footage, *want.Footage):
		d.add("the source of item '%s' could not be changed", want.Name)
	}
	if got != nil && got.Name != want.Name {
		d.add("item '%s' could not be renamed to '%s'", got.Name, want.Name)
	}
}

func sameFootage(got, want Footage) bool {
	return got.Kind == want.Kind && got.Width == want.Width && got.Height == want.Height && got.File.FullPath == want.File.FullPath &&
		got.File.AscendTarget == want.File.AscendTarget && near(got.Color[0], want.Color[0]) && near(got.Color[1], want.Color[1]) && near(got.Color[2], want.Color[2])
}

func (d *comparison) composition(name string, got, want *Composition) {
	if got.Width != want.Width || got.Height != want.Height || !near(got.Duration, want.Duration) || !near(got.FrameRate, want.FrameRate) ||
		!near(got.WorkAreaStart, want.WorkAreaStart) || !near(got.WorkAreaDuration, want.WorkAreaDuration) {
		d.add("the size or the times of composition '%s' could not be changed", name)
	}
	layers := make(map[uint32]*Layer, len(got.Layers))
	for _, l := range got.Layers {
		layers[l.ID] = l
	}
	for _, l := range want.Layers {
		in := fmt.Sprintf("layer '%s' in composition '%s'", d.want.DisplayName(l), name)
		g := layers[l.ID]
		if g == nil {
			d.add("%s could not be added", in)
			continue
		}
		if g.Source != l.Source || g.Enabled != l.Enabled || g.AudioEnabled != l.AudioEnabled || g.Parent != l.Parent || g.Blend != l.Blend ||
			g.Name != l.Name || !near(g.Start, l.Start) || !near(g.In, l.In) || !near(g.Out, l.Out) || !near(g.Stretch, l.Stretch) {
			d.add("the times, the source or the switches of %s could not be changed", in)
		}
		if len(g.Markers) != len(l.Markers) {
			d.add("the markers of %s could not be changed", in)
		}
		d.properties(in, g.Props, l.Props)
	}
	if len(got.Layers) > len(want.Layers) {
		d.add("layers of composition '%s' could not be removed", name)
	}
}

func (d *comparison) properties(in string, got, want *Property) {
	if got == nil || want == nil {
		return
	}
	rest := slices.Clone(got.Children)
	for _, w := range want.Children {
		i := slices.IndexFunc(rest, func(g *Property) bool { return g.Match == w.Match })
		if i < 0 {
			d.add("'%s' of %s could not be added", w.Name, in)
			continue
		}
		g := rest[i]
		rest = slices.Delete(rest, i, i+1)
		switch {
		case w.Group:
			if g.Enabled != w.Enabled {
				d.add("'%s' of %s could not be switched", w.Name, in)
			}
			d.properties(in, g, w)
		case !alike(g, w):
			d.add("'%s' of %s could not be changed", w.Name, in)
		}
	}
	for _, g := range rest {
		d.add("'%s' of %s could not be removed", g.Name, in)
	}
}

// alike tells whether a value was written correctly, within the precision of the file.
func alike(got, want *Property) bool {
	if got.Expression != want.Expression || got.ExpressionOn != want.ExpressionOn || got.LayerRef != want.LayerRef || len(got.Keys) != len(want.Keys) {
		return false
	}
	for i, k := range got.Keys {
		if !near(k.Time, want.Keys[i].Time) || !alikeValue(k.Value, want.Keys[i].Value) {
			return false
		}
	}
	return len(got.Keys) > 0 || alikeValue(got.Value, want.Value)
}

func alikeValue(got, want Value) bool {
	switch w := want.(type) {
	case Numbers:
		g, ok := got.(Numbers)
		return ok && len(g) == len(w) && !slices.ContainsFunc(indexes(len(w)), func(i int) bool { return !near(g[i], w[i]) })
	case *TextDocument:
		g, ok := got.(*TextDocument)
		return ok && alikeText(g, w)
	case *Path:
		g, ok := got.(*Path)
		return ok && g.Closed == w.Closed && len(g.Vertices) == len(w.Vertices) &&
			!slices.ContainsFunc(indexes(len(w.Vertices)), func(i int) bool { return !alikeVertex(g.Vertices[i], w.Vertices[i]) })
	}
	return true // opaque values are never changed
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func alikeVertex(a, b Vertex) bool {
	const step = 0.05 // pixels; points are stored as fractions of their box, in 32 bits
	return math.Abs(a.X-b.X) < step && math.Abs(a.Y-b.Y) < step && math.Abs(a.InX-b.InX) < step && math.Abs(a.OutY-b.OutY) < step
}

func alikeText(got, want *TextDocument) bool {
	length := len(utf16.Encode([]rune(want.Text))) + 1
	of := func(r *TextRun) *int { return &r.Length }
	runs, have := fitted(want.Runs, length, of), fitted(got.Runs, length, of)
	if got.Text != want.Text || len(have) != len(runs) || got.Box != want.Box || !near(got.BoxSize[0], want.BoxSize[0]) || !near(got.BoxSize[1], want.BoxSize[1]) {
		return false
	}
	for i, r := range runs {
		if have[i] != r {
			return false
		}
	}
	return true
}

// near allows for the rounding of times to ticks, and of numbers to other units.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-3+1e-6*math.Max(math.Abs(a), math.Abs(b)) }
