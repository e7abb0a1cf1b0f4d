package audio

import (
	"math"

	"overcrank/engine/wav"
)

// Effect is an effect on a sound: its match name, and its values in the order of its parameters, at the beginning of the clip and every Step
// seconds after. With a Step of 0 they do not change.
type Effect struct {
	Match  string
	Step   float64
	Values [][]float64
}

// Kind is what is known of an effect on sound.
type Kind struct {
	Start    []float64 // values of parameters that a project leaves out
	Likeness string    // what of After Effects' own is not public and drawn in its likeness; "" for nothing
	Sounds   bool      // it makes a sound of its own in the place of the layer's
	Reverses bool      // the layer is heard from its end to its beginning

	make func() filter
}

// filter changes a sound block by block. tune gets the values that hold for the next block.
type filter interface {
	tune(v []float64)
	run(block []frame)
}

// frame is one moment of a sound: its left and right side.
type frame = wav.Frame

const (
	effectReverse = "ADBE Aud Reverse"
	effectTone    = "ADBE Aud Tone"
)

// KindOf finds an effect on sound by its match name. kinds are made anew for each caller, so that nobody can change those of others.
func KindOf(match string) (Kind, bool) {
	k, known := kinds()[match]
	return k, known
}

func kinds() map[string]Kind {
	return map[string]Kind{
		effectReverse: {Start: []float64{0}, Reverses: true, make: func() filter { return &swap{} }},
		"ADBE Aud BT": {Start: []float64{0, 0}, Likeness: "After Effects' own curves", make: func() filter { return &bassTreble{} }},
		"ADBE Aud Delay": {Start: []float64{500, 50, 50, 75, 75},
			make: func() filter { return &delay{line: newLine(maxDelay)} }},
		"ADBE Aud_Flange": {Start: []float64{1, 1, 1, 50, 0, 0, 0, 75, 25}, Likeness: "After Effects' own voices",
			make: func() filter { return &chorus{line: newLine(1)} }},
		"ADBE Aud HiLo": {Start: []float64{1, 1000, 0, 100}, Likeness: "After Effects' own slope", make: func() filter { return &highLow{} }},
		"ADBE Aud Modulator": {Start: []float64{1, 5, 10, 0}, Likeness: "After Effects' own depth",
			make: func() filter { return &modulator{line: newLine(1)} }},
		"ADBE Param EQ": {Start: []float64{1, 100, 10, 0, 0, 1000, 10, 0, 0, 5000, 10, 0}, Likeness: "After Effects' own widths of bands",
			make: func() filter { return &equalizer{} }},
		"ADBE Aud Reverb": {Start: []float64{100, 50, 25, 50, 75, 75}, Likeness: "After Effects' own room", make: newReverb},
		"ADBE Aud Stereo Mixer": {Start: []float64{100, 100, -100, 100, 0},
			make: func() filter { return &stereoMixer{} }},
		effectTone: {Start: []float64{1, 440, 493.68, 554.37, 587.33, 659.26, 20}, Sounds: true, make: func() filter { return &tones{} }},
	}
}

// value is one of a filter's values, within bounds; a project may hold any number.
func value(v []float64, i int, least, most float64) float64 {
	if i >= len(v) || math.IsNaN(v[i]) {
		return max(least, min(0, most))
	}
	return max(least, min(v[i], most))
}

// share is a value in percent as a factor.
func share(v []float64, i int) float64 { return value(v, i, -100, 1000) / 100 }

// swap exchanges the sides.
type swap struct{ on bool }

func (s *swap) tune(v []float64) { s.on = value(v, 0, 0, 1) != 0 }
func (s *swap) run(b []frame) {
	if !s.on {
		return
	}
	for i := range b {
		b[i][0], b[i][1] = b[i][1], b[i][0]
	}
}

// stereoMixer gives each side a level and a place.
type stereoMixer struct{ m [2][2]float64 } // by the side that is heard, then the one that it comes from

func (s *stereoMixer) tune(v []float64) {
	sign := 1.0
	if value(v, 4, 0, 1) != 0 {
		sign = -1
	}
	for from := range 2 {
		level, place := sign*share(v, from), value(v, 2+from, -100, 100)/100
		s.m[0][from], s.m[1][from] = level*(1-place)/2, level*(1+place)/2
	}
}

func (s *stereoMixer) run(b []frame) {
	for i, f := range b {
		b[i] = frame{s.m[0][0]*f[0] + s.m[0][1]*f[1], s.m[1][0]*f[0] + s.m[1][1]*f[1]}
	}
}

// tones are up to five notes.
type tones struct {
	wave   float64
	notes  [5]float64
	level  float64
	phases [5]float64
}

func (s *tones) tune(v []float64) {
	s.wave = value(v, 0, 1, 4)
	for i := range s.notes {
		s.notes[i] = value(v, 1+i, 0, Rate/2)
	}
	s.level = share(v, 6)
}

func (s *tones) run(b []frame) {
	for i := range b {
		sum := 0.0
		for n, pitch := range s.notes {
			if pitch == 0 {
				continue
			}
			sum += wave(s.wave, s.phases[n])
			_, s.phases[n] = math.Modf(s.phases[n] + pitch/Rate)
		}
		sum *= s.level / float64(len(s.notes))
		b[i] = frame{sum, sum}
	}
}

// wave is a wave at a phase from 0 to 1: a sine, a square, a triangle or a saw.
func wave(kind, phase float64) float64 {
	switch kind {
	case 2:
		return math.Copysign(1, 0.5-phase)
	case 3:
		return 1 - 4*math.Abs(math.Mod(phase+0.25, 1)-0.5)
	case 4:
		return 2*phase - 1
	}
	return math.Sin(2 * math.Pi * phase)
}
