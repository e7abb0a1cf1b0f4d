package agent

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/durable/disktest"
	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestAgentOnAFullDiskGivesTheTaskBackAndGoesOn(t *testing.T) {
	t.Parallel()
	dir, _ := disktest.Mount(t, 96)
	p := newPeer(t)
	start(t, p, "crash", dir)
	big := p.keep("big.png", make([]byte, 100<<20))
	l := lease(t, p, "job.1")
	l.Assets = []farm.Asset{{Type: "image", LayerName: "x", Src: "farm://big"}}
	l.Files = map[string]farm.FileRef{"farm://big": big}
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: the disk of machine 'test-machine' is full" || !m.Failed.Retry || m.Failed.Class != farm.FailureWorker {
		t.Fatalf("%s", describe(m))
	}
	next := lease(t, p, "job.2")
	p.send(wire.Message{Lease: &next})
	if m := p.report(next.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: the embedded engine exited with code 1" {
		t.Fatalf("after the full disk: %s", describe(m))
	}
}

func TestADiskThatFillsDuringATaskCostsNoAttempt(t *testing.T) {
	t.Parallel()
	dir, _ := disktest.Mount(t, 160)
	ballast := filepath.Join(dir, "ballast")
	p := newPeer(t)
	start(t, p, "crash", dir)
	picture := bytes.Repeat([]byte("x"), 8<<20)
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f, err := os.Create(ballast)
		for block := make([]byte, 1<<20); err == nil; {
			_, err = f.Write(block)
		}
		f.Close()
		w.Write(picture)
	}))
	l := lease(t, p, "job.1")
	l.Assets = []farm.Asset{{Type: "image", LayerName: "x", Src: server + "/a.png"}}
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || !m.Failed.Cancelled || !m.Failed.Retry || !strings.Contains(m.Failed.Message, "its disk is full") {
		t.Fatalf("%s", describe(m))
	}
	p.eventually("it is not ready", func() bool { return p.available.NotReady && strings.Contains(p.available.Reason, "disk is full") })
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	p.eventually("it is ready", func() bool { return p.available.Presence == farm.PresenceFree && !p.available.NotReady })
	next := lease(t, p, "job.2")
	p.send(wire.Message{Lease: &next})
	if m := p.report(next.Attempt); m.Failed == nil || m.Failed.Cancelled {
		t.Fatalf("with room again: %s", describe(m))
	}
}

func TestAnAgentWithoutRoomTakesNoWork(t *testing.T) {
	t.Parallel()
	dir, _ := disktest.Mount(t, 96)
	ballast := filepath.Join(dir, "ballast")
	p := newPeer(t)
	start(t, p, "crash", dir)
	if err := os.WriteFile(ballast, make([]byte, 60<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 5; n++ { // as often as may be: none of them is a failure of the task
		l := lease(t, p, fmt.Sprintf("job.%d", n))
		p.send(wire.Message{Lease: &l})
		if m := p.report(l.Attempt); m.Failed == nil || !m.Failed.Cancelled || !strings.Contains(m.Failed.Message, "its disk is full") || !strings.Contains(m.Failed.Message, dir) {
			t.Fatalf("%s", describe(m))
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	l := lease(t, p, "job.9")
	p.send(wire.Message{Lease: &l})
	if m := p.report(l.Attempt); m.Failed == nil || m.Failed.Message != "Render failed: the embedded engine exited with code 1" {
		t.Fatalf("with room again: %s", describe(m))
	}
}
