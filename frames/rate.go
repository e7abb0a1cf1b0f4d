package frames

import "math"

// Rate is a composition's frame rate as a fraction. NTSC rates, which After Effects rounds to values such as 29.97, become exact: 30000/1001.
// Other rates are exact in the project's ticks: ticksPerSecond and frameTicks, which are 0 when they are not known.
func Rate(perSecond float64, ticksPerSecond, frameTicks int64) (num, den int64) {
	if ntsc := math.Round(perSecond * 1.001); ntsc > 0 && math.Abs(perSecond-ntsc/1.001) < 0.002 {
		return int64(ntsc) * 1000, 1001
	}
	if frameTicks > 0 && ticksPerSecond > 0 {
		return reduced(ticksPerSecond, frameTicks)
	}
	return reduced(int64(math.Round(perSecond*1000)), 1000)
}

func reduced(a, b int64) (num, den int64) {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x, b / x
}
