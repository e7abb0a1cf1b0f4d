// Package agent is a workstation's side of the farm.
package agent

import (
	"context"
	"log/slog"
)

// Config says how an agent runs.
type Config struct {
	DataDir     string // its own folder: credential, cache, work, outbox
	Coordinator string // base address of any coordinator
	JoinToken   string // for enrolling; may be "" once enrolled
	Name        string // "" means the host's name
	Slots       int    // tasks at once; 0 means 1
	CacheSize   int64  // bytes; 0 means 20 GiB
	GossipBind  string // host:port, "" means no gossip
	Engine      string // path of the embedded engine's program, "" means this program
	Tags        []string
	Logger      *slog.Logger
}

// Run runs the agent until ctx ends; then it stops its tasks and returns.
func Run(ctx context.Context, cfg Config) error { panic("skeleton: helper E") }
