package aerender

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
)

// Host is where engines run: Children, or the session of the person who is signed in at the machine.
type Host interface {
	// Start starts a program. It takes over Command.Output, also when it fails, and closes it when nothing more comes.
	Start(Command) (Process, error)
}

// Command is a program that a Host starts.
type Command struct {
	Program []string // path and arguments
	// Engine is the path of the aerender that Program is or belongs to, and Script the script file that the After Effects beside it is to
	// run, "" for a render. A Host in a person's session puts its command together of these, and starts nothing else.
	Engine, Script string
	Dir            string   // its working folder
	Env            []string // besides this process's own environment; only Children take it
	Input          io.Reader
	Output         *os.File // of both its streams
}

// Process is a program that a Host has started, with all that it started itself. Its methods may be called at any time until Close.
type Process interface {
	Ask()   // asks it to end
	Kill()  // ends it, and what outlived it
	Lower() // leaves it what other programs do not want of processors and disks
	// Exited is closed when the program itself has ended; Status says how from then on.
	Exited() <-chan struct{}
	// Status is the program's exit code, or an error where there is none: it could not be started, or its Host is gone (*GoneError).
	Status() (code int, err error)
	Close()
}

// GoneError says that the Host of an engine is not there, or is no longer: the engine did not fail.
type GoneError struct{ Reason string } // such as "nobody is signed in"

func (e *GoneError) Error() string { return e.Reason }

// Children is the Host whose engines are children of this process, and end with it where the system can do that.
type Children struct{}

// child is an engine that this process has started.
type child struct {
	group  *group
	exited chan struct{}
	status error // once exited is closed
}

// Start starts a program in a group of its own.
func (Children) Start(c Command) (Process, error) {
	cmd := exec.Command(c.Program[0], c.Program[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, append(os.Environ(), c.Env...), c.Input
	cmd.Stdout, cmd.Stderr = c.Output, c.Output
	prepare(cmd)
	p := &child{exited: make(chan struct{})}
	started := make(chan error)
	go p.wait(cmd, started)
	err := <-started
	closed := c.Output.Close()
	if err := errors.Join(err, closed); err != nil {
		if p.group != nil {
			p.Kill()
			<-p.exited
			p.Close()
		}
		return nil, err
	}
	return p, nil
}

// wait starts the program and waits for its end, on one thread: see dieWithParent.
func (p *child) wait(cmd *exec.Cmd, started chan<- error) {
	defer close(p.exited)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	g, err := newGroup(cmd)
	if err != nil {
		started <- errors.Join(err, cmd.Process.Kill())
		p.status = cmd.Wait()
		return
	}
	p.group = g
	started <- nil
	p.status = cmd.Wait()
}

func (p *child) Ask()                    { p.group.ask() }
func (p *child) Kill()                   { p.group.kill() }
func (p *child) Lower()                  { p.group.lower() }
func (p *child) Close()                  { p.group.close() }
func (p *child) Exited() <-chan struct{} { return p.exited }

func (p *child) Status() (int, error) {
	if p.status != nil {
		return exitCode(p.status), nil
	}
	return 0, nil
}
