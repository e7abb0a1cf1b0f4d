package render

import (
	"sort"

	"overcrank/engine/audio"
)

func sortLevels(l []audio.Level) {
	sort.Slice(l, func(i, j int) bool { return l[i].Time < l[j].Time })
}

// levelAt is the level at a time, constant before the first and after the last.
func levelAt(l []audio.Level, t float64) float64 {
	i := sort.Search(len(l), func(i int) bool { return l[i].Time > t })
	switch {
	case len(l) == 0:
		return 0
	case i == 0:
		return l[0].DB
	case i == len(l):
		return l[i-1].DB
	}
	a, b := l[i-1], l[i]
	return a.DB + (b.DB-a.DB)*(t-a.Time)/(b.Time-a.Time)
}
