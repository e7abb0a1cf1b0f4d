package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"overcrank/agent"
	"overcrank/cmd/overcrank/configfile"
)

// agentCommand runs an agent and speaks to the one of this machine. All of these take the agent's settings, so that they mean the
// same agent.
type agentCommand struct {
	agentSettings

	Run    agentRunCommand    `cmd:"" default:"1" help:"Run the agent of this workstation; what 'overcrank agent' does."`
	Doctor agentDoctorCommand `cmd:"" help:"Look at what this machine has, render two frames with each engine, and say how to mend what is wrong."`
	Config agentConfigCommand `cmd:"" help:"Print the agent's settings and where each comes from."`
}

// agentSettings can be set by flags, variables of the environment and a file, in this order of weight.
type agentSettings struct {
	ConfigFile   string   `name:"config" help:"File of settings, a line 'flag: value' for each; when left out, the one that 'overcrank agent config' names, if it is there." placeholder:"FILE" env:"OVERCRANK_AGENT_CONFIG"`
	DataDir      string   `help:"Folder for the agent's credential, cache and work." default:"${agent_folder}" type:"path" env:"OVERCRANK_AGENT_DATA_DIR,OVERCRANK_AGENT_DIR"`
	Coordinator  string   `help:"Base address of any coordinator; has to be given." env:"OVERCRANK_AGENT_COORDINATOR,OVERCRANK_COORDINATOR"`
	JoinToken    string   `help:"Secret to enrol with, needed once." env:"OVERCRANK_AGENT_JOIN_TOKEN,OVERCRANK_JOIN_TOKEN" secret:""`
	Name         string   `help:"Name of this machine on the farm; its host name when left out." env:"OVERCRANK_AGENT_NAME,OVERCRANK_NAME"`
	Slots        int      `help:"Tasks run at once." default:"1" env:"OVERCRANK_AGENT_SLOTS,OVERCRANK_SLOTS"`
	CacheSize    int64    `help:"Bytes of disk for fetched files." default:"21474836480" env:"OVERCRANK_AGENT_CACHE_SIZE,OVERCRANK_CACHE_SIZE"`
	GossipListen string   `help:"Address for gossip, host:port; empty for none." default:"0.0.0.0:7946" env:"OVERCRANK_AGENT_GOSSIP_LISTEN,OVERCRANK_GOSSIP_LISTEN"`
	Tags         []string `help:"Words that jobs can require of a machine." env:"OVERCRANK_AGENT_TAGS,OVERCRANK_TAGS"`
	Root         []string `help:"Folders that file: addresses of jobs may point into; none when left out." type:"path" env:"OVERCRANK_AGENT_ROOT,OVERCRANK_ROOT"`

	UntilStdinEnds bool `help:"End when standard input ends." hidden:""`
}

// BeforeResolve is for the parser of the command line.
func (agentSettings) BeforeResolve(ctx *kong.Context, command *kong.Path, files *configfile.Resolver) error {
	return files.Load(ctx, command)
}

// Validate refuses values with which an agent would start and not work. The parser of the command line calls it.
func (s agentSettings) Validate() error {
	if s.Slots < 1 || s.CacheSize < 0 {
		return fmt.Errorf("--slots is %d, --cache-size %d: an agent needs one slot at least, and a cache cannot be below 0", s.Slots, s.CacheSize)
	}
	return nil
}

// config is what the settings mean to the agent.
func (s agentSettings) config(logger *slog.Logger) agent.Config {
	return agent.Config{
		DataDir: s.DataDir, Coordinator: strings.TrimSuffix(s.Coordinator, "/"), JoinToken: s.JoinToken, Name: s.Name, Slots: s.Slots,
		CacheSize: s.CacheSize, GossipBind: s.GossipListen, Tags: s.Tags, Roots: s.Root, Version: versionString(), Logger: logger,
	}
}

type agentRunCommand struct{}

func (agentRunCommand) Run(ctx context.Context, c *cli, logger *slog.Logger) error {
	settings := c.Agent.agentSettings
	if settings.Coordinator == "" {
		return usageError{errors.New("the agent has to know a coordinator: --coordinator, OVERCRANK_AGENT_COORDINATOR, or coordinator: in its configuration")}
	}
	if settings.UntilStdinEnds {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		// Reading standard input can't be interrupted; the process ends soon after this function returns.
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	config := settings.config(logger)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	defer signal.Stop(asked)
	config.LookAgain = asked
	return agent.Run(ctx, config)
}
