package schedule

import (
	"math"
	"time"

	"overcrank/farm"
)

// pace is how long tasks have taken of late.
type pace struct {
	count   float64 // of ended tasks, decayed with age
	seconds float64 // sum of their lengths
	squares float64
	at      int64
}

const (
	paceHalfLife = 30 * time.Minute
	paceLearned  = 20 // ended tasks from which on the pace counts as known
)

func (p *pace) ended(seconds float64, now int64) {
	fade := math.Exp2(-float64(max(now-p.at, 0)) / float64(paceHalfLife))
	if p.at == 0 {
		fade = 0
	}
	p.count, p.seconds, p.squares, p.at = p.count*fade+1, p.seconds*fade+seconds, p.squares*fade+seconds*seconds, now
}

// mean is the mean length of a task, in seconds; 0 when unknown.
func (p *pace) mean() float64 {
	if p.count == 0 {
		return 0
	}
	return p.seconds / p.count
}

// wait estimates how long it takes until the task at a place in line begins, when all slots are taken.
func (p *pace) wait(place, slots int) *farm.Span {
	if p.count == 0 || slots == 0 {
		return nil
	}
	mean := p.seconds / p.count
	spread := math.Sqrt(max(p.squares/p.count-mean*mean, 0))
	turns := float64(place) / float64(slots)
	// Each slot takes one mean task per turn. The deviation of a sum of n tasks grows with the root of n.
	expected, stray := turns*mean, 1.3*spread*math.Sqrt(float64(place))/float64(slots)
	return &farm.Span{
		Low: max(expected-stray, 0), High: max(expected+stray, mean/float64(slots)), Learning: p.count < paceLearned,
	}
}
