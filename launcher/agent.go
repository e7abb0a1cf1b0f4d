package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"
)

// ending is how an agent ended.
type ending struct {
	code          int   // -1 when it has none
	err           error // nil for exit code 0
	failedToStart bool
	late          bool // it was on trial, and not healthy in time
	away          bool // late, but the farm could not be reached
}

// why is the reason in words.
func (e ending) why(times Times) string {
	switch {
	case e.away:
		return fmt.Sprintf("the farm could not be reached for %s during its trial", spell(times.Away))
	case e.late:
		return fmt.Sprintf("it was not healthy within %s", spell(times.Healthy))
	case e.failedToStart:
		return fmt.Sprintf("it cannot be started: %v", e.err)
	case e.err != nil:
		return "it ended with " + e.err.Error()
	}
	return "it ended with exit code 0"
}

// spell is a time in words, in whole minutes where it is one or longer.
func spell(d time.Duration) string {
	n := int(d.Minutes())
	switch n {
	case 0:
		return d.String()
	case 1:
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", n)
}

// agent is a running agent.
type agent struct {
	stdin  io.WriteCloser
	tree   *tree
	exited chan error
}

// lastWords is how long the launcher waits for output after an agent's end: a process that the agent started may hold the output open.
const lastWords = 2 * time.Second

// startAgent starts a version in a process tree that can be ended as a whole.
func (k *supervisor) startAgent(choice Choice) (*agent, error) {
	cmd := exec.Command(choice.Program, k.Args...)
	launch, held := Launch{}, "" // an agent without a launcher's folder takes no updates
	if !k.installedOnly {
		launch = Launch{Folder: k.Folder, Version: choice.Version, Trial: choice.Trial, Launcher: Version}
		held = filepath.Join(k.Folder, agentLock)
	}
	cmd.Env = append(cmd.Environ(), launch.environment()...)
	cmd.Stdout, cmd.Stderr = k.Output, k.Output
	cmd.WaitDelay = lastWords
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	tree, err := startTree(cmd, held)
	if err != nil {
		return nil, err
	}
	k.Log.Info("the agent was started", "version", choice.Version, "process", cmd.Process.Pid, "trial", choice.Trial)
	a := &agent{stdin: stdin, tree: tree, exited: make(chan error, 1)}
	go func() { a.exited <- cmd.Wait() }()
	return a, nil
}

// trial is how long a version has been on trial.
type trial struct {
	last      time.Time
	ran, away time.Duration // while the farm could be reached, and while it could not
}

// pass adds the time from the last call until now.
func (t *trial) pass(now time.Time, away bool) {
	if passed := now.Sub(t.last); away {
		t.away += passed
	} else {
		t.ran += passed
	}
	t.last = now
}

// over tells whether the time of the trial is over, and whether that is because the farm was away.
func (t *trial) over(times Times) (over, away bool) {
	late := t.ran >= times.Healthy
	return late || t.away >= times.Away, !late
}

// trialLook is how often the launcher checks whether a version on trial has reported that it is healthy.
const trialLook = time.Second

// runAgent starts an agent and waits until it ends. It ends the agent when ctx ends, or when a version on trial is not healthy in time.
func (k *supervisor) runAgent(ctx context.Context, choice Choice) ending {
	a, err := k.startAgent(choice)
	if err != nil {
		return ending{code: -1, err: err, failedToStart: true}
	}
	on := trial{last: time.Now()}
	var look <-chan time.Time
	if choice.Trial {
		ticker := time.NewTicker(min(trialLook, k.times.Healthy/4))
		defer ticker.Stop()
		look = ticker.C
	}
	for {
		select {
		case err := <-a.exited:
			return a.ended(err)
		case <-ctx.Done():
			return k.end(a)
		case line := <-k.Notices:
			_, _ = io.WriteString(a.stdin, line+"\n") // an agent that is about to end no longer reads
		case <-look:
			st, err := Read(k.Folder)
			if err == nil && (st.Pending == nil || st.Pending.Version != choice.Version) {
				k.Log.Info("the new version is healthy", "version", choice.Version)
				look = nil
				continue
			}
			on.pass(time.Now(), err == nil && st.Pending.Away)
			if over, away := on.over(k.times); over {
				ended := k.end(a)
				ended.late, ended.away = true, away
				return ended
			}
		}
	}
}

// end asks an agent to end by closing its standard input, and kills it when it does not.
func (k *supervisor) end(a *agent) ending {
	_ = a.stdin.Close() // fails only if the agent has ended meanwhile
	timer := time.NewTimer(k.times.Stop)
	defer timer.Stop()
	select {
	case err := <-a.exited:
		return a.ended(err)
	case <-timer.C:
		k.Log.Warn("killing the agent: it does not end", "after", k.times.Stop)
		a.tree.kill()
		return a.ended(<-a.exited)
	}
}

// ended kills what is left of the process tree of an agent that has ended.
func (a *agent) ended(err error) ending {
	a.tree.kill()
	a.tree.close()
	return ending{code: exitCode(err), err: err}
}

// exitCode is the exit code of a process that ended with err, -1 when it has none.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}
