package hosts

import (
	"fmt"
	"net/netip"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Host is a machine on the network of a Lab.
type Host struct {
	Name string
	IP   netip.Addr

	number byte
	port   *port
	orders chan func() // run on a thread in the host's namespace; nil for the desk
	quit   chan struct{}
	ended  chan struct{}
}

// Do calls f on a thread whose network is the host's: sockets that it opens are the host's, as are processes that it starts. f may not
// start goroutines that open more.
func (h *Host) Do(f func() error) error {
	result := make(chan error, 1)
	select {
	case h.orders <- func() { result <- f() }:
		return <-result
	case <-h.quit:
		return fmt.Errorf("host %s is gone", h.Name)
	}
}

// Start starts a command on the host. The process ends with the host, and with this process, however that ends.
func (h *Host) Start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return h.Do(cmd.Start)
}

// live is the host's thread. It is never given back, so that it ends with its goroutine. The first thread of the process stands for the
// process, and stays where it is.
func (h *Host) live(ready chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() {
		elsewhere := make(chan error, 1)
		go h.live(elsewhere)
		ready <- <-elsewhere // until then this thread is held, so that the other one gets another
		runtime.UnlockOSThread()
		return
	}
	defer close(h.ended)
	err := unix.Unshare(unix.CLONE_NEWNET)
	ready <- err
	if err != nil {
		return
	}
	for {
		select {
		case f := <-h.orders:
			f()
		case <-h.quit:
			return
		}
	}
}

// close ends the host's thread, and with it the namespace once its processes have ended.
func (h *Host) close() {
	if h.orders != nil {
		close(h.quit)
		<-h.ended
	}
}
