package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator"
	"overcrank/durable"
)

// welcome waits until the coordinator is part of a farm, and prints where the farm is. For a new farm it makes the administrator's token,
// and writes it to a file that only this user can read.
func (n *node) welcome(ctx context.Context, out *terminal.Output) error {
	early := n.farm().Cluster().Blank()
	if early {
		fmt.Fprintf(out, "Overcrank %s is at %s, and waits for the other coordinators\n", n.program.Version, n.address)
	}
	there, err := n.awaitFarm(ctx)
	if err != nil || !there {
		return err
	}
	f, head := n.settings.flags, n.farm()
	ctx, cancel := n.whileUp(ctx, head)
	defer cancel()
	path := filepath.Join(f.DataDir, coordinator.AdminTokenFile)
	keep := func(secret string) error { return durable.WriteFile(path, []byte(secret+"\n"), 0o600) }
	var token string
	if head.Cluster().Leads() { // one of the coordinators that begin a farm together
		token, err = head.FirstToken(ctx, keep)
	}
	if err == nil && token == "" && f.NewAdminToken {
		token, err = head.NewAdminToken(ctx, keep)
	}
	if err != nil {
		return fmt.Errorf("make the administrator's token: %w", err)
	}
	if !early {
		fmt.Fprintf(out, "Overcrank %s is at %s\n", n.program.Version, n.address)
	}
	fmt.Fprintf(out, "Its data folder is %s\n", f.DataDir)
	if token != "" {
		fmt.Fprintf(out, "The administrator's token is in %s.\n", path)
		if terminal.Is(out.Writer) { // a service's output goes into a journal that others read
			fmt.Fprintf(out, "  %s\n", token)
		}
	}
	if err := n.offerSetup(head, out, token != ""); err != nil {
		return fmt.Errorf("look whether somebody administers the farm: %w", err)
	}
	if token != "" {
		return nil
	}
	if kept, err := os.ReadFile(path); err == nil {
		if _, err = head.Authenticate(ctx, strings.TrimSpace(string(kept))); err == nil {
			return nil
		}
	}
	if f.ClusterListen != "" && !head.Cluster().Leads() {
		fmt.Fprintf(out, "The administrator's token is in %s of the coordinator that led when the farm began.\n", coordinator.AdminTokenFile)
		return nil
	}
	fmt.Fprintf(out, "%s holds no token of this farm. If the administrator's token is lost, start once with --new-admin-token.\n", path)
	return nil
}

// offerSetup says where the farm is set up, while no person administers it. The link makes whoever opens it the administrator, so that it is for
// a terminal alone.
func (n *node) offerSetup(head *coordinator.Coordinator, out *terminal.Output, fresh bool) error {
	setup, err := head.SetupCode()
	switch {
	case err != nil || setup.Code == "":
		return err
	case terminal.Is(out.Writer):
		fmt.Fprintf(out, "Set the farm up in a browser. This link works once, within a day:\n  %s/setup/%s\n", n.address, setup.Code)
	case fresh:
		fmt.Fprintf(out, "Set the farm up in a browser: open %s and enter that token.\n", n.address)
	}
	return nil
}

// awaitFarm waits until this coordinator is part of a farm, and reloads its settings meanwhile when asked to. It reports false when the node
// ends before that; run finds out why.
func (n *node) awaitFarm(ctx context.Context) (there bool, err error) {
	for !n.terminalGone {
		head := n.farm()
		waiting, cancel := n.whileUp(ctx, head)
		met := make(chan bool, 1)
		go func() { met <- head.Cluster().Await(waiting) == nil }()
		select {
		case there := <-met:
			cancel()
			return there, nil
		case <-n.hangUp:
			cancel()
			<-met
			if err := n.hungUp(ctx); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}
