package agent

import (
	"os"
	"syscall"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestAgentOnAFullDiskGivesTheTaskBackAndGoesOn(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() != 0 || syscall.Mount("none", dir, "tmpfs", 0, "size=2m") != nil {
		t.Skip("a small disk can only be made by root")
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	p := newPeer(t)
	start(t, p, "crash", dir)
	big := p.keep("big.png", make([]byte, 8<<20))
	l := lease(t, p, "job.1")
	l.Assets = []farm.Asset{{Type: "image", LayerName: "x", Src: "farm://big"}}
	l.Files = map[string]farm.FileRef{"farm://big": big}
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: the disk of machine 'test-machine' is full" || !m.Failed.Retry {
		t.Fatalf("%s", describe(m))
	}
	next := lease(t, p, "job.2")
	p.send(wire.Message{Lease: &next})
	if m := p.report(next.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: After Effects exited with code 1" {
		t.Fatalf("after the full disk: %s", describe(m))
	}
}
