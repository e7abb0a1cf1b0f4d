package render

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/eval"
)

// stretchOfTime maps the time of a nested composition to that of the rendered one: at + t*rate, for t in from..to.
type stretchOfTime struct {
	at, rate float64
	from, to float64
	levels   [2][]audio.Level // of the left and the right side
}

// Audio lists the sounds of the composition, nested ones included. Its only error is the end of ctx.
func (r *Renderer) Audio(ctx context.Context) ([]audio.Clip, error) {
	h := &hearing{worker: r.worker(ctx)}
	h.composition(&stage{comp: r.scene.Root}, stretchOfTime{rate: 1, to: r.comp.Comp.Duration})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return h.clips, nil
}

// Limits of the sounds of a render, and of the layers that are searched for them.
const (
	maxSounds      = 2000
	maxSoundLayers = 100000
)

// hearing collects the sounds of a composition.
type hearing struct {
	*worker
	clips  []audio.Clip
	looked int
}

// composition adds the sounds of a composition, with its times mapped by s.
func (h *hearing) composition(sc *stage, s stretchOfTime) {
	solo := sc.comp.Solo
	for _, l := range sc.comp.All {
		h.looked++
		if h.looked > maxSoundLayers || len(h.clips) >= maxSounds || h.ctx.Err() != nil {
			if h.ctx.Err() == nil && len(h.clips) > 0 {
				h.r.warned.say(fmt.Sprintf("only the first %d sounds are heard", len(h.clips)))
			}
			return
		}
		it := l.Source
		if it == nil || !l.AudioEnabled || solo && !l.Solo || sc.holds(it) {
			continue
		}
		v := view{stage: *sc, layer: l}
		v.t = l.In
		if l.Remapped || len(l.Sounds) > 0 {
			h.worked(v, s)
			continue
		}
		in, ok := h.heard(l.Layer, it, s)
		if !ok {
			continue
		}
		for side := range in.levels {
			in.levels[side] = h.levels(v, s.levels[side], in, side)
		}
		if l.Inner != nil {
			h.composition(&stage{comp: l.Inner, outer: sc}, in)
			continue
		}
		start := in.from
		if in.rate < 0 { // played backwards, the last part is heard first
			start = in.to
		}
		h.clips = append(h.clips, audio.Clip{
			Path: it.Footage.File.Resolved, At: in.at + start*in.rate, Start: start,
			Length: (in.to - in.from) * math.Abs(in.rate), Speed: 1 / in.rate, Levels: in.levels[left], Right: rightSide(in.levels),
		})
	}
}

// maxLength limits the length of a sound, in seconds: a month.
const maxLength = 31 * 24 * 3600

// heard is the part of a layer's source that is heard when the layer's times are mapped by s, in the source's time.
func (w *worker) heard(l *aep.Layer, it *aep.Item, s stretchOfTime) (stretchOfTime, bool) {
	var length float64
	switch {
	case it.Comp != nil:
		length = it.Comp.Duration
	case it.Footage.HasAudio && it.Footage.File.Resolved != "":
		length = footageLength(it.Footage)
	default:
		return s, false
	}
	from, to := max(l.In, s.from), min(l.Out, s.to)
	a, b := eval.LocalTime(l, from), eval.LocalTime(l, to)
	if a > b {
		a, b = b, a
	}
	a = max(a, 0)
	if length > 0 {
		b = min(b, length)
	}
	rate := l.Stretch / 100
	if rate == 0 {
		rate = 1
	}
	return stretchOfTime{at: s.at + l.Start*s.rate, rate: s.rate * rate, from: a, to: b}, b > a && b-a < maxLength
}

// levelStep is the interval, in seconds, at which a level with an expression is evaluated.
const levelStep = 0.1

// maxLevels limits how many levels of a sound are evaluated.
const maxLevels = 20000

// The sides of a sound.
const (
	left = iota
	right
)

// rightSide is the volume of the right side where it differs from that of the left.
func rightSide(sides [2][]audio.Level) []audio.Level {
	switch {
	case slices.Equal(sides[left], sides[right]):
		return nil
	case len(sides[right]) == 0:
		return []audio.Level{{}}
	}
	return sides[right]
}

// levels is the volume of one side of v's layer over the time of the rendered composition, including that of the layers around it.
func (w *worker) levels(v view, outer []audio.Level, in stretchOfTime, side int) []audio.Level {
	p := v.layer.Props.Find("ADBE Audio Group", "ADBE Audio Levels")
	if p == nil {
		return outer
	}
	ref := v.layer.At(p)
	at := func(t float64) float64 {
		var db [2]float64
		db[left], db[right] = w.eval.Pair(ref, t, 0, 0)
		return db[side]
	}
	if !eval.Varies(p) {
		db := at(v.t)
		if db == 0 && len(outer) == 0 {
			return nil
		}
		return addLevels(outer, []audio.Level{{Time: in.at + in.from*in.rate, DB: db}})
	}
	var own []audio.Level
	step := max(levelStep*100/math.Abs(nonzero(v.layer.Stretch)), (in.to-in.from)/maxLevels)
	for i := range int((in.to-in.from)/step) + 1 {
		if w.ctx.Err() != nil {
			break
		}
		t := in.from + float64(i)*step
		own = append(own, audio.Level{Time: in.at + t*in.rate, DB: at(eval.CompTime(v.layer.Layer, t))})
	}
	sortLevels(own)
	return addLevels(outer, thinned(own))
}

func nonzero(v float64) float64 {
	if v == 0 {
		return 100
	}
	return v
}

// thinned drops levels that are on the line between their neighbours.
func thinned(l []audio.Level) []audio.Level {
	out := l[:0]
	for i, p := range l {
		if len(out) > 0 && i+1 < len(l) {
			a, b := out[len(out)-1], l[i+1]
			on := a.DB + (b.DB-a.DB)*(p.Time-a.Time)/(b.Time-a.Time)
			if math.Abs(on-p.DB) < 0.01 {
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// addLevels sums two curves, in decibels.
func addLevels(a, b []audio.Level) []audio.Level {
	if len(a) == 0 {
		return b
	}
	seen := make(map[string]bool)
	var out []audio.Level
	for _, l := range append(append([]audio.Level(nil), a...), b...) {
		key := strconv.FormatFloat(l.Time, 'f', 6, 64)
		if !seen[key] {
			seen[key] = true
			out = append(out, audio.Level{Time: l.Time, DB: levelAt(a, l.Time) + levelAt(b, l.Time)})
		}
	}
	sortLevels(out)
	return out
}
