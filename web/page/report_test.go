package page

import "testing"

func TestMachineTimeHasItsUnit(t *testing.T) {
	t.Parallel()
	for hours, want := range map[float64]string{0: "0 h", 0.0001: "1 s", 0.0035: "13 s", 0.033: "2 min", 0.5: "30 min", 0.999: "1.0 h", 1: "1.0 h", 3.14: "3.1 h", 1234.4: "1,234 h"} {
		if got := hoursWord(t.Context(), hours); got != want {
			t.Errorf("%v hours are %q, not %q", hours, got, want)
		}
	}
}
