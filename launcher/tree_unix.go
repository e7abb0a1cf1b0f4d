//go:build unix

package launcher

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"overcrank/interval"
)

// agentLock is the name of a file that an agent and all processes it started keep locked, so that another launcher can see that they run.
const agentLock = "agent.lock"

// tree is an agent and all processes it started: its process group.
type tree struct{ leader *os.Process }

// startTree starts a command in a process group of its own, which holds the lock at path until its last process has ended.
func startTree(cmd *exec.Cmd, path string) (*tree, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// An agent starts without the lock too: an engine of the previous agent may still hold it.
	if held, err := tryLock(path); err == nil {
		cmd.ExtraFiles = []*os.File{held}
		defer func() { _ = held.Close() }() // the agent has its own descriptor
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{leader: cmd.Process}, nil
}

// kill ends what is left of the tree. It also serves after the leader has ended.
func (t *tree) kill() { _ = syscall.Kill(-t.leader.Pid, syscall.SIGKILL) } // it fails if all have ended, which is what kill is for

func (t *tree) close() {}

// awaitFormerAgent waits for the agent of an earlier launcher that was killed. That agent ends by itself, since its standard input was closed.
func (k *supervisor) awaitFormerAgent(ctx context.Context) error {
	for until := time.Now().Add(k.times.Stop); ; {
		held, err := tryLock(filepath.Join(k.Folder, agentLock))
		if err == nil {
			return unlockFile(held)
		}
		if !errors.Is(err, errHeld) {
			k.Log.Warn("cannot see whether an earlier agent still runs", "error", err)
			return nil
		}
		if time.Now().After(until) {
			k.Log.Warn("the agent of an earlier launcher does not end; starting another one")
			return nil
		}
		if err := interval.Wait(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}
