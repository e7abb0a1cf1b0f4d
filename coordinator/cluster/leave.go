package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overcrank/coordinator/membership"
	"overcrank/coordinator/peers"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// leftFile exists once this node is no longer a member: its state may lack what the farm has decided since, or hold what it has
// discarded, so it must never act for the farm again.
const leftFile = "cluster.left"

// removal asks the leader to remove a coordinator.
type removal struct {
	ID string `json:"id"`
	By string `json:"by"`
}

// leadChange asks the leader to hand over to a coordinator; "" for the most suitable.
type leadChange struct {
	To string `json:"to,omitempty"`
}

// farewell tells a coordinator that it was removed.
type farewell struct {
	Why string `json:"why"`
}

// Remove removes a coordinator, which then stops by itself. A leader hands over first. CodeForbidden unless the caller is an
// administrator of the farm, CodeConflict when the farm would stop working without it.
func (c *Cluster) Remove(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return err
	}
	_, err := peers.AskLeader(ctx, c.peers, askRemove, removal{ID: id, By: p.Name})
	return err
}

// TransferLead hands the lead to a coordinator, or, for "", to the most suitable one.
func (c *Cluster) TransferLead(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return err
	}
	if leader, _ := c.raft.Leader(); id != "" && leader == id {
		return nil
	}
	_, err := peers.AskLeader(ctx, c.peers, askLead, leadChange{To: id})
	return err
}

// removeHere removes a member, on the leader. To remove itself, the leader hands over and leaves the rest to the next one.
func (c *Cluster) removeHere(ctx context.Context, in removal) (done struct{}, err error) {
	members, based, err := c.raft.Members()
	if err != nil {
		return done, err
	}
	address := addressOf(members, in.ID)
	if address == "" {
		return done, farm.Errorf(farm.CodeNotFound, "coordinator %q does not exist", in.ID)
	}
	if err := membership.Removable(c.members(members), in.ID); err != nil {
		return done, farm.Errorf(farm.CodeConflict, "coordinator %s cannot be removed: %w", in.ID, err)
	}
	if in.ID == c.raft.ID() {
		if err := c.raft.TransferLead(ctx, ""); err != nil {
			return done, err
		}
		return done, peers.ErrNotLeading
	}
	c.log.Info("removing a coordinator", "id", in.ID, "by", in.By)
	return done, c.drop(ctx, in.ID, address, based, "it was removed by "+in.By)
}

// drop removes a member, and tells it if it can be reached.
func (c *Cluster) drop(ctx context.Context, id, address string, based uint64, why string) error {
	if err := c.raft.RemoveMember(ctx, id, based); err != nil {
		return err
	}
	c.mu.Lock()
	delete(c.seen, id)
	c.mu.Unlock()
	tell, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	if _, err := peers.Ask(tell, c.peers, address, askFarewell, farewell{Why: why}); err != nil {
		c.log.Debug("telling a coordinator that it was removed", "id", id, "error", err)
	}
	c.record(ctx, command.RemoveCoordinator{ID: id})
	return nil
}

// takeFarewell ends this node's membership when another coordinator says that it was removed.
func (c *Cluster) takeFarewell(_ context.Context, from string, in farewell) (done struct{}, err error) {
	if from == "" || from == c.raft.ID() {
		return done, farm.Errorf(farm.CodeForbidden, "a coordinator does not remove itself")
	}
	c.leave(in.Why)
	return done, nil
}

// leave ends this node's membership for good.
func (c *Cluster) leave(why string) {
	c.mu.Lock()
	again := c.left != ""
	if !again {
		c.left = why
	}
	c.mu.Unlock()
	if again {
		return
	}
	c.log.Warn("this coordinator is no longer part of the farm, and stops", "because", why)
	text := fmt.Sprintf("%s\n%s\n", c.state.Now().UTC().Format(time.RFC3339), why)
	if err := durable.WriteFile(filepath.Join(c.cfg.Dir, leftFile), []byte(text), 0o600); err != nil {
		c.log.Error("noting that this coordinator has left the farm", "error", err)
	}
	c.raft.Part() // the requests that are being answered wait for the log no more, and get their answers
	close(c.gone)
}

func (c *Cluster) hasLeft() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// Left is closed when this node is no longer a coordinator of its farm. Its owner then stops it.
func (c *Cluster) Left() <-chan struct{} { return c.gone }

// CheckLeft returns an error for the data folder of a node that has left its farm.
func CheckLeft(dir string) error {
	path := filepath.Join(dir, leftFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking whether this coordinator has left its farm: %w", err)
	}
	when, why, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return fmt.Errorf("this coordinator left its farm on %s (%s): to use it again, move %s away and let it join anew (overcrank cluster invite on the farm, then --join and --cluster-token-file here)",
		when, why, dir)
}
