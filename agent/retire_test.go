package agent

import (
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"testing"
)

// leave answers a machine that leaves.
func (p *peer) leave(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(r.TLS.PeerCertificates) == 0 {
		p.t.Error("a machine leaves without its certificate")
	}
	p.left++
	w.WriteHeader(cmp.Or(p.leaving, http.StatusNoContent))
}

// joined starts an agent in a folder, and stops it when it has joined.
func joined(t *testing.T, p *peer, dir string) {
	t.Helper()
	r := start(t, p, "normal", dir)
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	r.stop()
	if err := <-r.done; err != nil {
		t.Fatal(err)
	}
}

func isEnrolled(t *testing.T, dir string) bool {
	t.Helper()
	is, err := Enrolled(dir)
	if err != nil {
		t.Fatal(err)
	}
	return is
}

func TestAMachineRetires(t *testing.T) {
	t.Parallel()
	p, dir := newPeer(t), t.TempDir()
	joined(t, p, dir)
	// One address where nothing answers does not keep it from leaving.
	if err := Retire(t.Context(), dir, []string{"https://127.0.0.1:1", p.server.URL}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if p.left != 1 || isEnrolled(t, dir) {
		t.Errorf("it has left %d times, and kept its credential: %v", p.left, isEnrolled(t, dir))
	}
	if err := Retire(t.Context(), dir, []string{p.server.URL}, slog.New(slog.DiscardHandler)); err != nil || p.left != 1 {
		t.Errorf("once more: %d, %v", p.left, err)
	}
	if err := Retire(t.Context(), t.TempDir(), nil, slog.New(slog.DiscardHandler)); err != nil {
		t.Errorf("a machine that never joined: %v", err)
	}
}

func TestAMachineThatTheFarmHasRemovedRetires(t *testing.T) {
	t.Parallel()
	p, dir := newPeer(t), t.TempDir()
	joined(t, p, dir)
	p.leaving = http.StatusUnauthorized
	if err := Retire(t.Context(), dir, []string{p.server.URL}, slog.New(slog.DiscardHandler)); err != nil || isEnrolled(t, dir) {
		t.Errorf("it ends with %v, and has its credential: %v", err, isEnrolled(t, dir))
	}
}

func TestAFarmThatIsAwayKeepsTheMachine(t *testing.T) {
	t.Parallel()
	p, dir := newPeer(t), t.TempDir()
	joined(t, p, dir)
	ln, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := Retire(t.Context(), dir, []string{"https://" + ln.Addr().String()}, slog.New(slog.DiscardHandler)); err == nil || !isEnrolled(t, dir) {
		t.Errorf("it ends with %v, and has its credential: %v", err, isEnrolled(t, dir))
	}
	for _, p.leaving = range []int{http.StatusServiceUnavailable, http.StatusNotFound} { // 404 of a farm whose release has no such request
		if err := Retire(t.Context(), dir, []string{p.server.URL}, slog.New(slog.DiscardHandler)); err == nil || !isEnrolled(t, dir) {
			t.Errorf("a farm that answers %d: %v, and the credential is there: %v", p.leaving, err, isEnrolled(t, dir))
		}
	}
}
