package render

import (
	"math"
	"slices"

	"overcrank/engine/audio"
	"overcrank/engine/eval"
	"overcrank/engine/scene"
)

const (
	remapStep = 0.02 // seconds between two looks at a remapped time
	valueStep = 0.02 // and at the values of effects on sound that change
	justThen  = 1e-4 // seconds before a keyframe, where a time that is held ends
)

// worked adds the sounds of v's layer, whose time is remapped or which has effects on its sound: they go through the layer as a whole.
func (h *hearing) worked(v view, s stretchOfTime) {
	l := v.layer
	from, to := max(l.In, s.from), min(l.Out, s.to)
	if !(to > from) || to-from > maxLength {
		return
	}
	sounds := h.sources(v)
	if len(sounds) == 0 {
		return
	}
	moments := h.mapped(l, from, to)
	effects := h.soundEffects(l, from, to)
	var levels [2][]audio.Level
	for side := range levels {
		levels[side] = h.workedLevels(v, s, from, to, side)
	}
	for i := range moments {
		moments[i].Time = s.at + moments[i].Time*s.rate
	}
	if s.rate < 0 {
		slices.Reverse(moments)
	}
	for _, c := range sounds {
		c.Moments, c.Effects, c.Levels, c.Right = moments, effects, levels[left], rightSide(levels)
		h.clips = append(h.clips, c)
	}
}

// sources are the sounds of the layer's source, in its time.
func (h *hearing) sources(v view) []audio.Clip {
	l, it := v.layer, v.layer.Source
	if slices.ContainsFunc(l.Sounds, func(e scene.SoundEffect) bool { return e.Kind.Sounds }) {
		return []audio.Clip{{}}
	}
	if l.Inner != nil {
		inner := &hearing{worker: h.worker, looked: h.looked}
		inner.composition(&stage{comp: l.Inner, outer: &v.stage}, stretchOfTime{rate: 1, to: l.Inner.Duration})
		h.looked = inner.looked
		var out []audio.Clip
		for i := range inner.clips {
			out = append(out, audio.Clip{Of: &inner.clips[i]})
		}
		return out
	}
	if it.Footage == nil || !it.Footage.HasAudio || it.Footage.File.Resolved == "" {
		return nil
	}
	length := footageLength(it.Footage)
	if length <= 0 {
		length = maxLength
	}
	return []audio.Clip{{Path: it.Footage.File.Resolved, Length: length}}
}

// mapped is where in its source the layer is from one time of its composition to another.
func (w *worker) mapped(l *scene.Layer, from, to float64) []audio.Moment {
	backwards := slices.ContainsFunc(l.Sounds, func(e scene.SoundEffect) bool { return e.Kind.Reverses })
	place := func(t float64) float64 {
		if backwards {
			t = l.In + l.Out - t
		}
		if l.Remapped {
			return l.Remap.At(w.eval, t)
		}
		return eval.LocalTime(l.Layer, t)
	}
	times := []float64{from, to}
	if l.Remapped {
		step := max(remapStep, (to-from)/maxLevels)
		for t := from + step; t < to && w.ctx.Err() == nil; t += step {
			times = append(times, t)
		}
		times = append(times, keyTimes(l, backwards, from, to)...)
		slices.Sort(times)
	}
	var out []audio.Moment
	for i, t := range times {
		if i > 0 && t-times[i-1] < justThen/2 {
			continue
		}
		m := audio.Moment{Time: t, Source: place(t)}
		if n := len(out); n > 1 && evenly(out[n-2], out[n-1], m) {
			out[n-1] = m
			continue
		}
		out = append(out, m)
	}
	return out
}

// keyTimes are the times of the keyframes of a remapped time, with the moments just before them.
func keyTimes(l *scene.Layer, backwards bool, from, to float64) (times []float64) {
	remap := l.Props.Child("ADBE Time Remapping")
	for _, k := range remap.Keys[:min(len(remap.Keys), maxLevels)] {
		t := eval.CompTime(l.Layer, k.Time)
		if backwards {
			t = l.In + l.Out - t
		}
		for _, at := range [2]float64{t - justThen, t} {
			if at > from && at < to {
				times = append(times, at)
			}
		}
	}
	return times
}

// evenly tells whether a sound goes on as before, to a hundredth of a sample.
func evenly(a, b, c audio.Moment) bool {
	on := a.Source + (c.Source-a.Source)*(b.Time-a.Time)/(c.Time-a.Time)
	return math.Abs(on-b.Source) < 0.01/audio.Rate
}

// soundEffects are the effects on a layer's sound, with their values from one time to another.
func (w *worker) soundEffects(l *scene.Layer, from, to float64) []audio.Effect {
	var out []audio.Effect
	for _, e := range l.Sounds {
		made, n := audio.Effect{Match: e.Match}, 1
		if slices.ContainsFunc(e.Values, func(n eval.Number) bool { return n.Varies() }) {
			made.Step = max(valueStep, (to-from)/maxLevels)
			n = int((to-from)/made.Step) + 1
		}
		for i := 0; i < n && w.ctx.Err() == nil; i++ {
			values := make([]float64, len(e.Values))
			for v := range values {
				values[v] = e.Values[v].At(w.eval, from+float64(i)*made.Step)
			}
			made.Values = append(made.Values, values)
		}
		out = append(out, made)
	}
	return out
}

// workedLevels is the volume of one side of v's layer from one time of its composition to another, including that of the layers around it.
func (w *worker) workedLevels(v view, s stretchOfTime, from, to float64, side int) []audio.Level {
	p := v.layer.Props.Find("ADBE Audio Group", "ADBE Audio Levels")
	if p == nil {
		return s.levels[side]
	}
	ref := v.layer.At(p)
	at := func(t float64) audio.Level {
		var db [2]float64
		db[left], db[right] = w.eval.Pair(ref, t, 0, 0)
		return audio.Level{Time: s.at + t*s.rate, DB: db[side]}
	}
	if !eval.Varies(p) {
		level := at(from)
		if level.DB == 0 && len(s.levels[side]) == 0 {
			return nil
		}
		return addLevels(s.levels[side], []audio.Level{level})
	}
	var own []audio.Level
	step := max(levelStep, (to-from)/maxLevels)
	for t := from; t <= to && w.ctx.Err() == nil; t += step {
		own = append(own, at(t))
	}
	sortLevels(own)
	return addLevels(s.levels[side], thinned(own))
}
