package web

import (
	"net/http"
	"testing"

	"overcrank/web/page"
)

func TestTroubleIsToldApart(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]page.TroubleKind{
		http.StatusNotFound: page.TroubleMissing, http.StatusGone: page.TroubleMissing, http.StatusForbidden: page.TroubleForbidden,
		http.StatusTooManyRequests: page.TroubleBusy, http.StatusServiceUnavailable: page.TroubleBusy, http.StatusInternalServerError: page.TroubleFailed,
		http.StatusConflict: page.TroubleRefused, http.StatusBadRequest: page.TroubleRefused,
	} {
		if got := troubleOf(status, false); got != want {
			t.Errorf("status %d is trouble %d, not %d", status, got, want)
		}
	}
	if got := troubleOf(http.StatusServiceUnavailable, true); got != page.TroubleLeaderless {
		t.Errorf("without a leader it is trouble %d", got)
	}
	if got := troubleOf(http.StatusNotFound, true); got != page.TroubleMissing {
		t.Errorf("a page that is not there is trouble %d without a leader", got)
	}
}
