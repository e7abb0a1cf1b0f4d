package aerender

import (
	"fmt"
	"math"
	"time"
)

// timecode is how After Effects displays frame n of a timeline: h:mm:ss:ff, with semicolons for drop-frame timecode.
func timecode(n int, rate float64, drop bool) string {
	nominal := max(1, int(math.Round(rate)))
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	sep := ":"
	if drop && nominal%30 == 0 {
		sep = ";"
		n = dropped(n, nominal)
	}
	s := n / nominal
	return fmt.Sprintf("%s%d%s%02d%s%02d%s%02d", sign, s/3600, sep, s/60%60, sep, s%60, sep, n%nominal)
}

// dropped is the number that drop-frame timecode gives frame n. It skips the first two numbers of every minute except
// each tenth, or four at twice the rate.
func dropped(n, nominal int) int {
	skip := nominal / 15
	perTen := nominal*600 - 9*skip
	perOne := nominal*60 - skip
	tens, rest := n/perTen, n%perTen
	n += 9 * skip * tens
	if rest >= nominal*60 {
		n += skip * (1 + (rest-nominal*60)/perOne)
	}
	return n
}

// elapsed words a duration as aerender does.
func elapsed(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d Seconds", s)
	case s < 3600:
		return fmt.Sprintf("%d Min, %d Sec", s/60, s%60)
	}
	return fmt.Sprintf("%d Hr, %d Min, %d Sec", s/3600, s/60%60, s%60)
}
