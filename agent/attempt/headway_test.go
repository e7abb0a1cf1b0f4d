package attempt

import "testing"

func TestAnUploadKeepsItsSlotWhileItIsWorthIt(t *testing.T) {
	const kib = 1 << 10
	h := headway{size: 1000 * kib}
	for _, step := range []struct {
		sent int64
		want bool
	}{
		{1, false}, {255 * kib, false},
		{256 * kib, true},
		{256*kib + 1, false}, {0, false}, {511 * kib, false}, // it begins again from the start
		{900 * kib, true},
		{999 * kib, false},
		{1000 * kib, true}, // the rest
		{1000 * kib, false},
	} {
		if got := h.made(step.sent); got != step.want {
			t.Errorf("%d bytes are sent: %t, want %t", step.sent, got, step.want)
		}
	}
}
