package audio

import "math"

// biquad is a filter of second order with the coefficients of Robert Bristow-Johnson's "Audio EQ Cookbook".
type biquad struct {
	b0, b1, b2, a1, a2 float64
	x, y               [2]frame // the moments before
}

func (q *biquad) run(b []frame) {
	for i, f := range b {
		for side, v := range f {
			out := q.b0*v + q.b1*q.x[0][side] + q.b2*q.x[1][side] - q.a1*q.y[0][side] - q.a2*q.y[1][side]
			q.x[1][side], q.x[0][side] = q.x[0][side], v
			q.y[1][side], q.y[0][side] = q.y[0][side], out
			b[i][side] = out
		}
	}
}

func (q *biquad) set(b0, b1, b2, a0, a1, a2 float64) {
	q.b0, q.b1, q.b2, q.a1, q.a2 = b0/a0, b1/a0, b2/a0, a1/a0, a2/a0
}

// angle is the cosine of a pitch, and the cookbook's alpha for a quality.
func angle(pitch, quality float64) (cosine, alpha float64) {
	w := 2 * math.Pi * max(1, min(pitch, Rate*0.49)) / Rate
	return math.Cos(w), math.Sin(w) / (2 * max(quality, 1e-3))
}

// pass lets what lies below the pitch pass, or what lies above.
func (q *biquad) pass(pitch float64, high bool) {
	c, alpha := angle(pitch, math.Sqrt2/2)
	if high {
		q.set((1+c)/2, -(1 + c), (1+c)/2, 1+alpha, -2*c, 1-alpha)
		return
	}
	q.set((1-c)/2, 1-c, (1-c)/2, 1+alpha, -2*c, 1-alpha)
}

// peak lifts what lies around the pitch by so many decibels.
func (q *biquad) peak(pitch, quality, db float64) {
	c, alpha := angle(pitch, quality)
	a := math.Pow(10, db/40)
	q.set(1+alpha*a, -2*c, 1-alpha*a, 1+alpha/a, -2*c, 1-alpha/a)
}

// shelf lifts what lies below the pitch by so many decibels, or what lies above.
func (q *biquad) shelf(pitch, db float64, high bool) {
	c, alpha := angle(pitch, math.Sqrt2/2)
	a := math.Pow(10, db/40)
	s := 2 * math.Sqrt(a) * alpha
	if high {
		q.set(a*((a+1)+(a-1)*c+s), -2*a*((a-1)+(a+1)*c), a*((a+1)+(a-1)*c-s), (a+1)-(a-1)*c+s, 2*((a-1)-(a+1)*c), (a+1)-(a-1)*c-s)
		return
	}
	q.set(a*((a+1)-(a-1)*c+s), 2*a*((a-1)-(a+1)*c), a*((a+1)-(a-1)*c-s), (a+1)+(a-1)*c+s, -2*((a-1)+(a+1)*c), (a+1)+(a-1)*c-s)
}

// The pitches at which the shelves of Bass & Treble begin, in Hz, and how far 100 % lifts them, in decibels.
const (
	bassPitch   = 200
	treblePitch = 4000
	shelfLift   = 15
)

type bassTreble struct{ bass, treble biquad }

func (s *bassTreble) tune(v []float64) {
	s.bass.shelf(bassPitch, shelfLift*value(v, 0, -100, 100)/100, false)
	s.treble.shelf(treblePitch, shelfLift*value(v, 1, -100, 100)/100, true)
}

func (s *bassTreble) run(b []frame) {
	s.bass.run(b)
	s.treble.run(b)
}

// mixed runs a filter on a copy of a block and mixes both.
func mixed(b []frame, dry, wet float64, run func([]frame)) {
	var own [blockLength]frame
	copy(own[:], b)
	run(own[:len(b)])
	for i := range b {
		for side := range b[i] {
			b[i][side] = dry*b[i][side] + wet*own[i][side]
		}
	}
}

type highLow struct {
	q        biquad
	dry, wet float64
}

const lowPass = 2 // of the two ways of High-Low Pass

func (s *highLow) tune(v []float64) {
	s.q.pass(value(v, 1, 1, Rate/2), value(v, 0, 1, 2) != lowPass)
	s.dry, s.wet = share(v, 2), share(v, 3)
}

func (s *highLow) run(b []frame) { mixed(b, s.dry, s.wet, s.q.run) }

// equalizer has three bands, each with a switch, a pitch, a width and a lift.
type equalizer struct {
	bands [3]biquad
	on    [3]bool
}

func (s *equalizer) tune(v []float64) {
	for i := range s.bands {
		at := 4 * i
		s.on[i] = value(v, at, 0, 1) != 0
		pitch := value(v, at+1, 1, Rate/2)
		// The width is a share of the whole range, in percent.
		s.bands[i].peak(pitch, pitch/(value(v, at+2, 0.1, 100)/100*Rate/2), value(v, at+3, -60, 60))
	}
}

func (s *equalizer) run(b []frame) {
	for i := range s.bands {
		if s.on[i] {
			s.bands[i].run(b)
		}
	}
}
