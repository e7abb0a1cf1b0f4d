package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/agent"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
)

// Up is the command that runs a coordinator and one agent.
type Up struct {
	Flags
	Slots       int      `help:"Tasks that this machine's agent runs at once." default:"1" env:"OVERCRANK_SLOTS"`
	AgentConfig string   `help:"File of settings of this machine's agent, for one that people work at (overcrank agent config --example); without it the agent works at all times." placeholder:"FILE" env:"OVERCRANK_AGENT_CONFIG"`
	Root        []string `help:"Folders that file: addresses of jobs may point into; none when left out." type:"path" env:"OVERCRANK_ROOT"`
}

// Validate checks the flags. The parser of the command line calls it.
func (u Up) Validate() error {
	if u.Slots < 1 {
		return fmt.Errorf("--slots is %d: the agent needs one at least (overcrank coordinator runs without an agent)", u.Slots)
	}
	return u.Flags.Validate()
}

// Run runs a coordinator, and one agent in a process of its own, which joins the farm like any other agent.
func (u *Up) Run(ctx context.Context, kctx *kong.Context, out *terminal.Output, program process.Program, logger *slog.Logger) error {
	n, err := start(ctx, settingsOf(kctx, u.Flags), program, logger)
	if err != nil {
		return err
	}
	if err := n.welcome(ctx, out); err != nil {
		return errors.Join(err, n.stop())
	}
	agentCtx, stopAgent := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		u.keepAgent(agentCtx, n, out.Errors, logger)
	}()
	err = n.run(ctx)
	stopAgent()
	<-done // the coordinator stops after the agent, which reports to it until its end
	return errors.Join(err, n.stop())
}

// keepAgent runs the agent process, and starts it again when it ends, until ctx does.
func (u *Up) keepAgent(ctx context.Context, n *node, stderr io.Writer, logger *slog.Logger) {
	const minPause, maxPause = time.Second, 30 * time.Second
	pause := minPause
	for ctx.Err() == nil {
		began := time.Now()
		err := u.runAgent(ctx, n, stderr)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > maxPause {
			pause = minPause
		}
		logger.Warn("the agent has ended; starting it again", "error", err, "in", pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxPause)
	}
}

// runAgent runs the agent process until it ends or ctx does. The agent also ends when its standard input does: that is a pipe, which closes
// with this process, however it ends.
func (u *Up) runAgent(ctx context.Context, n *node, stderr io.Writer) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	args := []string{
		"agent", "--data-dir", u.agentFolder(), "--coordinator", n.local,
		"--slots", fmt.Sprint(u.Slots), "--gossip-listen", u.gossipBeside(), "--until-stdin-ends",
	}
	if u.AgentConfig != "" {
		args = append(args, "--config", u.AgentConfig)
	} else {
		args = append(args, "--config", os.DevNull, "--idle-after", "0", "--priority", "normal")
	}
	for _, root := range u.Root {
		args = append(args, "--root", root)
	}
	environment, err := u.invitation(ctx, n)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdout, cmd.Stderr = stderr, stderr
	process.OwnGroup(cmd)
	cmd.Cancel = func() error { return process.Interrupt(cmd.Process) }
	cmd.WaitDelay = 15 * time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	return cmd.Run()
}

// invitation returns the environment with a join token for the agent, unless the agent has enrolled already.
func (u *Up) invitation(ctx context.Context, n *node) (environment []string, err error) {
	enrolled, err := agent.Enrolled(u.agentFolder())
	if err != nil || enrolled {
		return nil, err
	}
	token, err := n.farm().InviteOwn(ctx)
	if err != nil {
		return nil, fmt.Errorf("invite the agent of this machine: %w", err)
	}
	return []string{"OVERCRANK_AGENT_JOIN_TOKEN=" + token}, nil
}

func (u *Up) agentFolder() string { return filepath.Join(u.DataDir, "agent") }
