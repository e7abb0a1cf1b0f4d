package inboundtest

import (
	"os"
	"testing"
	"time"
)

// promptLimit is how long a party waits at most for an answer while another one is at a bound.
const promptLimit = 250 * time.Millisecond

// Promptly has somebody's request answered while another party is at a bound, and tells how long that took. Where OVERCRANK_FIGURES is set (make
// release-checks), on a machine that does nothing else, it must not take longer than promptLimit.
func Promptly(t testing.TB, request func()) {
	t.Helper()
	began := time.Now()
	request()
	took := time.Since(began)
	t.Logf("answered after %v beside another party at its bound", took.Round(time.Microsecond))
	if took > promptLimit && os.Getenv("OVERCRANK_FIGURES") != "" {
		t.Errorf("a request took %v beside another party at its bound, want %v at most", took, promptLimit)
	}
}
