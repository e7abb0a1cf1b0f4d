package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"overcrank/agent/internal/aerenderdouble"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// TestEnginesStepBackBehindTheArtist: the task is not given back, and what renders it gets the lowest priority.
func TestEnginesStepBackBehindTheArtist(t *testing.T) {
	p, desk := newPeer(t), &shownDesk{}
	desk.show(deskLeft)
	child := filepath.Join(t.TempDir(), "child")
	t.Setenv(aerenderdouble.EnvChild, child)
	manners := artist
	manners.Return = ReturnLower
	startAtDesk(t, p, "child-then-hang", desk, manners)
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.rendering(l.Attempt)
	b, err := os.ReadFile(child)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(b))
	if err != nil {
		t.Fatal(err)
	}
	desk.show(deskUsed)
	p.present(farm.PresenceYielding)
	p.eventually("the engine's child has the lowest priority", func() bool { return niceness(t, pid) == 19 })
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.got {
		if m.Failed != nil {
			t.Errorf("%+v", m.Failed)
		}
	}
}

// niceness of a process, 0 to 19. The system call answers 20 less it.
func niceness(t *testing.T, pid int) int {
	n, err := syscall.Getpriority(syscall.PRIO_PROCESS, pid)
	if err != nil {
		t.Fatal(err)
	}
	return 20 - n
}
