package audio

import "math"

// maxDelay is the longest delay of an effect, in seconds; After Effects' longest is five.
const maxDelay = 5

// line holds what was heard before.
type line struct {
	past []frame
	at   int
}

func newLine(seconds float64) line { return line{past: make([]frame, int(seconds*Rate)+2)} }

// put adds a moment.
func (l *line) put(f frame) {
	l.at = (l.at + 1) % len(l.past)
	l.past[l.at] = f
}

// back is what was put so many samples ago, 0 for the last; between two samples it is interpolated.
func (l *line) back(samples float64, side int) float64 {
	samples = max(0, min(samples, float64(len(l.past)-2)))
	n := int(samples)
	a := l.past[(l.at-n+len(l.past))%len(l.past)][side]
	b := l.past[(l.at-n-1+2*len(l.past))%len(l.past)][side]
	return a + (samples-float64(n))*(b-a)
}

// delay repeats the sound after a time, ever softer.
type delay struct {
	line                            line
	samples                         float64
	amount, feedback, dry, wetShare float64
}

func (s *delay) tune(v []float64) {
	s.samples = max(1, value(v, 0, 0, 1000*maxDelay)/1000*Rate)
	s.amount, s.feedback = share(v, 1), min(share(v, 2), 0.99)
	s.dry, s.wetShare = share(v, 3), share(v, 4)
}

func (s *delay) run(b []frame) {
	for i, f := range b {
		var echo, in frame
		for side := range f {
			echo[side] = s.line.back(s.samples-1, side)
			in[side] = s.amount*f[side] + s.feedback*echo[side]
			b[i][side] = s.dry*f[side] + s.wetShare*echo[side]
		}
		s.line.put(in)
	}
}

// chorus adds voices whose delay swings.
type chorus struct {
	line               line
	voices             int
	apart, rate, depth float64 // samples, Hz, a share
	turn               float64 // of the swing from voice to voice, in turns
	invert, stereo     bool
	dry, wet, phase    float64
}

// maxVoices is how many voices a chorus has at most.
const maxVoices = 32

func (s *chorus) tune(v []float64) {
	s.apart = value(v, 0, 0, 1000.0/(2*maxVoices)) / 1000 * Rate
	s.voices = int(value(v, 1, 1, maxVoices))
	s.rate, s.depth = value(v, 2, 0, 100), min(max(share(v, 3), 0), 1)
	s.turn = value(v, 4, -1e6, 1e6) / 360
	s.invert, s.stereo = value(v, 5, 0, 1) != 0, value(v, 6, 0, 1) != 0
	s.dry, s.wet = share(v, 7), share(v, 8)
}

func (s *chorus) run(b []frame) {
	for i, f := range b {
		s.line.put(f)
		var sum frame
		for n := range s.voices {
			swing := 1 + s.depth*math.Sin(2*math.Pi*(s.phase+float64(n)*s.turn))
			sign := 1.0
			if s.invert && n%2 == 0 {
				sign = -1
			}
			for side := range sum {
				if !s.stereo || s.voices == 1 || n%2 == side {
					sum[side] += sign * s.line.back(float64(n+1)*s.apart*swing, side)
				}
			}
		}
		for side := range f {
			b[i][side] = s.dry*f[side] + s.wet*sum[side]/float64(s.voices)
		}
		_, s.phase = math.Modf(s.phase + s.rate/Rate)
	}
}

// modulator lets pitch and level swing.
type modulator struct {
	line               line
	kind               float64
	rate, depth, level float64
	phase              float64
}

// vibrato is how many seconds the swing of a pitch reaches at a depth of 100 % and a rate of 1 Hz.
const vibrato = 0.02

func (s *modulator) tune(v []float64) {
	s.kind = 1 // a sine
	if value(v, 0, 1, 2) == 2 {
		s.kind = 3 // a triangle
	}
	s.rate, s.depth, s.level = value(v, 1, 0, 1000), min(max(share(v, 2), 0), 1), min(max(share(v, 3), 0), 1)
}

func (s *modulator) run(b []frame) {
	reach := vibrato * s.depth / max(s.rate, 1) * Rate
	for i, f := range b {
		s.line.put(f)
		swing := wave(s.kind, s.phase)
		for side := range f {
			b[i][side] = s.line.back(reach*(1+swing), side) * (1 - s.level*(1-swing)/2)
		}
		_, s.phase = math.Modf(s.phase + s.rate/Rate)
	}
}

// reverb is Schroeder's: parallel combs, whose echoes are spread by two filters that let everything pass.
type reverb struct {
	gap      line // between the sound and its first echo
	samples  float64
	combs    [4]comb
	spread   [2]allpass
	dry, wet float64
}

type comb struct {
	line       line
	samples    float64
	back, dark float64
	low        frame
}

type allpass struct {
	line    line
	samples float64
	gain    float64
}

// maxGap is the longest time before the first echo, in seconds.
const maxGap = 1

func newReverb() filter {
	r := &reverb{gap: newLine(maxGap)}
	for i, ms := range [4]float64{29.7, 37.1, 41.1, 43.7} { // the delays of Schroeder's paper of 1962
		r.combs[i] = comb{line: newLine(0.05), samples: ms / 1000 * Rate}
	}
	for i, ms := range [2]float64{5, 1.7} {
		r.spread[i] = allpass{line: newLine(0.01), samples: ms / 1000 * Rate}
	}
	return r
}

func (s *reverb) tune(v []float64) {
	s.samples = value(v, 0, 0, 1000*maxGap) / 1000 * Rate
	for i := range s.spread {
		s.spread[i].gain = 0.7 * min(max(share(v, 1), 0), 1)
	}
	for i := range s.combs {
		s.combs[i].back = 0.5 + 0.48*min(max(share(v, 2), 0), 1)
		s.combs[i].dark = 0.8 * (1 - min(max(share(v, 3), 0), 1))
	}
	s.dry, s.wet = share(v, 4), share(v, 5)
}

func (s *reverb) run(b []frame) {
	for i, f := range b {
		s.gap.put(f)
		var sum frame
		for side := range f {
			in := s.gap.back(s.samples, side)
			for c := range s.combs {
				sum[side] += s.combs[c].echo(in, side) / float64(len(s.combs))
			}
		}
		for c := range s.combs {
			s.combs[c].step()
		}
		for a := range s.spread {
			s.spread[a].run(&sum)
		}
		for side := range f {
			b[i][side] = s.dry*f[side] + s.wet*sum[side]
		}
	}
}

// echo is what a comb gives for what comes in on a side; step goes to the next moment.
func (c *comb) echo(in float64, side int) float64 {
	out := c.line.back(c.samples-1, side)
	c.low[side] = (1-c.dark)*out + c.dark*c.low[side]
	c.line.past[(c.line.at+1)%len(c.line.past)][side] = in + c.back*c.low[side]
	return out
}

func (c *comb) step() { c.line.at = (c.line.at + 1) % len(c.line.past) }

func (a *allpass) run(f *frame) {
	var in frame
	for side, v := range f {
		old := a.line.back(a.samples-1, side)
		in[side] = v + a.gain*old
		f[side] = old - a.gain*in[side]
	}
	a.line.put(in)
}
