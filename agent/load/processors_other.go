//go:build !linux && !darwin && !windows

package load

func average() (percent float64, known bool) { return 0, false }

func processors() (ticks, bool) { return ticks{}, false }
