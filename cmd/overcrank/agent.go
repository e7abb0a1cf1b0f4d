package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"overcrank/agent"
)

type agentCommand struct {
	DataDir        string   `help:"Folder for the agent's credential, cache and work." required:"" type:"path" env:"OVERCRANK_AGENT_DIR"`
	Coordinator    string   `help:"Base address of any coordinator." required:"" env:"OVERCRANK_COORDINATOR"`
	JoinToken      string   `help:"Secret to enrol with, needed once." env:"OVERCRANK_JOIN_TOKEN"`
	Name           string   `help:"Name of this machine on the farm; its host name when left out." env:"OVERCRANK_NAME"`
	Slots          int      `help:"Tasks run at once." default:"1" env:"OVERCRANK_SLOTS"`
	CacheSize      int64    `help:"Bytes of disk for fetched files." default:"21474836480" env:"OVERCRANK_CACHE_SIZE"`
	GossipListen   string   `help:"Address for gossip, host:port; empty for none." default:"0.0.0.0:7946" env:"OVERCRANK_GOSSIP_LISTEN"`
	Tags           []string `help:"Words that jobs can require of a machine." env:"OVERCRANK_TAGS"`
	Root           []string `help:"Folders that file: addresses of jobs may point into; none when left out." type:"path" env:"OVERCRANK_ROOT"`
	UntilStdinEnds bool     `help:"End when standard input ends." hidden:""`
}

func (a *agentCommand) Run(ctx context.Context, logger *slog.Logger) error {
	if a.UntilStdinEnds {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		// Reading standard input can't be interrupted; the process ends soon after this function returns.
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	return agent.Run(ctx, agent.Config{
		DataDir: a.DataDir, Coordinator: strings.TrimSuffix(a.Coordinator, "/"), JoinToken: a.JoinToken, Name: a.Name, Slots: a.Slots,
		CacheSize: a.CacheSize, GossipBind: a.GossipListen, Tags: a.Tags, Roots: a.Root, Version: versionString(), Logger: logger,
	})
}
