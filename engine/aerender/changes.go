package aerender

import (
	"math"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/engine/digest"
	"overcrank/engine/eval"
)

// marks identify the layers and items of a project as they are at a moment, so that it can be told later which of them a script has changed.
type marks struct {
	items  map[uint32]digest.Sum // without the layers of compositions
	layers map[layerOf]mark
}

type layerOf struct{ comp, layer uint32 }

// mark is a layer, and when it shows.
type mark struct {
	sum  digest.Sum
	time extent
}

// extent is a stretch of time in seconds.
type extent struct{ from, to float64 }

// always is all of a composition's time.
var always = extent{math.Inf(-1), math.Inf(1)}

func markProject(p *aep.Project) marks {
	m := marks{items: make(map[uint32]digest.Sum, len(p.Items)), layers: make(map[layerOf]mark)}
	for _, it := range p.Items {
		switch {
		case it.Footage != nil:
			m.items[it.ID] = digest.Of(*it.Footage)
		case it.Comp != nil:
			bare := *it.Comp
			bare.Layers, bare.Markers, bare.Controllers, bare.WorkAreaStart, bare.WorkAreaDuration = nil, nil, nil, 0, 0
			m.items[it.ID] = digest.Of(bare)
			for _, l := range it.Comp.Layers {
				m.layers[layerOf{it.ID, l.ID}] = mark{digest.Of(*l), shownFrom(l)}
			}
		}
	}
	return m
}

func shownFrom(l *aep.Layer) extent { return extent{min(l.In, l.Out), max(l.In, l.Out)} }

// changed are the times, in each composition, at which it shows what is not as it was.
type changed struct {
	project *aep.Project
	times   map[uint32][]extent // by composition; what compositions within it show counts too
	layers  map[layerOf]bool    // those that are not as they were, or whose sources are not
	looking map[uint32]bool
}

// maxExtents is about how many stretches of time are told apart in one composition. One with more has changed at all times.
const maxExtents = 256

// changesSince finds what has changed since a project had these marks.
func changesSince(before marks, p *aep.Project) *changed {
	now := markProject(p)
	c := &changed{project: p, times: make(map[uint32][]extent), layers: make(map[layerOf]bool), looking: make(map[uint32]bool)}
	own := make(map[uint32][]extent)
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		if was, known := before.items[it.ID]; !known || was != now.items[it.ID] {
			own[it.ID] = []extent{always}
			continue
		}
		for _, l := range it.Comp.Layers {
			of := layerOf{it.ID, l.ID}
			was, known := before.layers[of]
			source := p.Item(l.Source)
			other := source != nil && source.Footage != nil && before.items[l.Source] != now.items[l.Source]
			if drawn(it.Comp, l) && (!known || was.sum != now.layers[of].sum || other) {
				own[it.ID] = append(own[it.ID], now.layers[of].time)
				c.layers[of] = true
			}
			if known && was.sum != now.layers[of].sum && was.time != now.layers[of].time {
				own[it.ID] = append(own[it.ID], was.time)
			}
		}
	}
	for of, was := range before.layers {
		if _, still := now.layers[of]; !still {
			own[of.comp] = append(own[of.comp], was.time)
		}
	}
	for _, it := range p.Items {
		c.of(it, own)
	}
	return c
}

// drawn tells whether a layer may be seen by itself or as the matte of another.
func drawn(comp *aep.Composition, l *aep.Layer) bool {
	if l.Enabled && !l.Null {
		return true
	}
	for i, other := range comp.Layers {
		if other.Matte != aep.MatteNone && (other.MatteLayer == l.ID || other.MatteLayer == 0 && i > 0 && comp.Layers[i-1] == l) {
			return true
		}
	}
	return false
}

// of finds the times of a composition from its own changes and those of the compositions that it shows.
func (c *changed) of(it *aep.Item, own map[uint32][]extent) []extent {
	if it == nil || it.Comp == nil || c.looking[it.ID] {
		return nil
	}
	if times, known := c.times[it.ID]; known {
		return times
	}
	c.looking[it.ID] = true
	defer delete(c.looking, it.ID)
	times := own[it.ID]
	for _, l := range it.Comp.Layers {
		inner := c.of(c.project.Item(l.Source), own)
		if len(inner) == 0 || !drawn(it.Comp, l) {
			continue
		}
		c.layers[layerOf{it.ID, l.ID}] = true
		times = append(times, through(l, inner)...)
		if len(times) > maxExtents {
			times = []extent{always}
			break
		}
	}
	c.times[it.ID] = times
	return times
}

// through is when a layer shows what its source shows at these times.
func through(l *aep.Layer, inner []extent) (out []extent) {
	shown := shownFrom(l)
	if remap := l.Props.Child("ADBE Time Remapping"); remap != nil && (len(remap.Keys) > 0 || eval.Driven(remap)) {
		return []extent{shown}
	}
	for _, e := range inner {
		a, b := eval.CompTime(l, e.from), eval.CompTime(l, e.to)
		e = extent{max(shown.from, min(a, b)), min(shown.to, max(a, b))}
		if e.from < e.to {
			out = append(out, e)
		}
	}
	return out
}

// varying are the layers of a composition that films of other jobs are likely to show otherwise: those that have changed, and those with expressions that may
// depend on them. There are none when nothing has changed.
func (c *changed) varying(it *aep.Item) map[uint32]bool {
	out := make(map[uint32]bool)
	for _, l := range it.Comp.Layers {
		if c.layers[layerOf{it.ID, l.ID}] {
			out[l.ID] = true
		}
	}
	if len(out) == 0 {
		return out
	}
	for _, l := range it.Comp.Layers {
		if asksLayers(l.Props) {
			out[l.ID] = true
		}
	}
	return out
}

// asksLayers tells whether an expression of p, or of what is below it, names a layer.
func asksLayers(p *aep.Property) bool {
	if p == nil {
		return false
	}
	return eval.Driven(p) && strings.Contains(p.Expression, "layer(") || slices.ContainsFunc(p.Children, asksLayers)
}
