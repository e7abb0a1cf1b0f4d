//go:build linux

package chaos_test

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"overcrank/cmd/overcrank/chaos/hosts"
)

// process is a program on a host, which may be ended and started again. Its methods may be called at the same time.
type process struct {
	name string
	host *hosts.Host
	args []string // of the program, with its path
	env  []string // besides that of the test
	log  string   // file that takes what it says, over all its lives

	mu    sync.Mutex
	cmd   *exec.Cmd // nil while it does not run
	ended chan struct{}
	lives int
}

// start starts the program, unless it runs.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return nil
	}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	p.lives++
	fmt.Fprintf(out, "---- life %d of %s begins at %s\n", p.lives, p.name, time.Now().Format(time.TimeOnly+".000"))
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := p.host.Start(cmd); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	ended := make(chan struct{})
	p.cmd, p.ended = cmd, ended
	go func() {
		_ = cmd.Wait()
		p.mu.Lock()
		if p.cmd == cmd {
			p.cmd = nil
		}
		p.mu.Unlock()
		close(ended)
	}()
	return nil
}

// signal sends a signal, when the program runs.
func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(s)
	}
}

func (p *process) freeze() { p.signal(syscall.SIGSTOP) }
func (p *process) thaw()   { p.signal(syscall.SIGCONT) }

// kill ends the program without a word, and waits until it is gone.
func (p *process) kill() { p.end(syscall.SIGKILL, time.Minute) }

// stop asks the program to end, and waits; one that does not says in its log what each of its goroutines waits for, and is killed.
func (p *process) stop() (obeyed bool) {
	p.thaw()
	if p.end(syscall.SIGTERM, 2*time.Minute) {
		return true
	}
	if !p.end(syscall.SIGQUIT, 5*time.Second) {
		p.kill()
	}
	return false
}

func (p *process) end(s syscall.Signal, patience time.Duration) bool {
	p.mu.Lock()
	cmd, ended := p.cmd, p.ended
	p.mu.Unlock()
	if cmd == nil {
		return true
	}
	_ = cmd.Process.Signal(s)
	select {
	case <-ended:
		return true
	case <-time.After(patience):
		return false
	}
}
