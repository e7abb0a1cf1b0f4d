package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"overcrank/coordinator/membership"
	"overcrank/coordinator/peers"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// leftFile is there once this node is a member no more: its state may miss what the farm has decided since, or hold what the
// farm has given up, so it must never speak for the farm again.
const leftFile = "cluster.left"

// removal asks the leader to make a coordinator a member no more.
type removal struct {
	ID string `json:"id"`
	By string `json:"by"`
}

// leadChange asks the leader to hand over; To is "" for whoever does best.
type leadChange struct {
	To string `json:"to,omitempty"`
}

// farewell tells a coordinator that it is a member no more.
type farewell struct {
	Why string `json:"why"`
}

// RemoveNode makes a coordinator a member no more, which one that leads hands the lead over for; it then ends by itself.
// CodeForbidden unless the caller is an administrator of the farm, CodeConflict when the farm would stand still without it.
func (c *Coordinator) RemoveNode(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return err
	}
	_, err := peers.AskLeader(ctx, c.peers, askRemove, removal{ID: id, By: p.Name})
	return err
}

// TransferLead hands the farm's lead to the coordinator with an id, or to the one that does best where that is "".
func (c *Coordinator) TransferLead(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return err
	}
	if leader, _ := c.store.Leader(); id != "" && leader == id {
		return nil
	}
	_, err := peers.AskLeader(ctx, c.peers, askLead, leadChange{To: id})
	return err
}

// removeHere removes a member on the leader. The leader itself hands over first, and leaves the rest to the next one.
func (m *cluster) removeHere(ctx context.Context, in removal) (done struct{}, err error) {
	members, based, err := m.c.store.Members()
	if err != nil {
		return done, err
	}
	address := addressOf(members, in.ID)
	if address == "" {
		return done, farm.Errorf(farm.CodeNotFound, "coordinator %q does not exist", in.ID)
	}
	if err := membership.Removable(m.members(members), in.ID); err != nil {
		return done, farm.Errorf(farm.CodeConflict, "coordinator %s cannot be removed: %w", in.ID, err)
	}
	if in.ID == m.c.store.ID() {
		if err := m.c.store.TransferLead(ctx, ""); err != nil {
			return done, err
		}
		return done, peers.ErrNotLeading
	}
	m.c.log.Info("a coordinator is removed", "id", in.ID, "by", in.By)
	return done, m.drop(ctx, in.ID, address, based, "it was removed by "+in.By)
}

// drop takes a member out, and tells it when it can hear that.
func (m *cluster) drop(ctx context.Context, id, address string, based uint64, why string) error {
	if err := m.c.store.RemoveMember(ctx, id, based); err != nil {
		return err
	}
	m.mu.Lock()
	delete(m.seen, id)
	m.mu.Unlock()
	tell, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	if _, err := peers.Ask(tell, m.c.peers, address, askFarewell, farewell{Why: why}); err != nil {
		m.c.log.Debug("telling a coordinator that it was removed", "id", id, "error", err)
	}
	m.record(ctx, command.RemoveCoordinator{ID: id})
	return nil
}

// takeFarewell believes another coordinator that this one is a member no more, if that one leads.
func (m *cluster) takeFarewell(_ context.Context, from string, in farewell) (done struct{}, err error) {
	if from == "" || from == m.c.store.ID() {
		return done, farm.Errorf(farm.CodeForbidden, "a coordinator does not remove itself")
	}
	m.leave(in.Why)
	return done, nil
}

// leave ends this node's membership for good.
func (m *cluster) leave(why string) {
	m.mu.Lock()
	again := m.left != ""
	if !again {
		m.left = why
	}
	m.mu.Unlock()
	if again {
		return
	}
	m.c.log.Warn("this coordinator is part of the farm no more, and ends", "because", why)
	text := fmt.Sprintf("%s\n%s\n", m.c.cfg.Now().UTC().Format(time.RFC3339), why)
	if err := durable.WriteFile(m.c.path(leftFile), []byte(text), 0o600); err != nil {
		m.c.log.Error("noting that this coordinator has left the farm", "error", err)
	}
	close(m.gone)
}

func (m *cluster) hasLeft() bool {
	select {
	case <-m.gone:
		return true
	default:
		return false
	}
}

// Left is closed when this node is a coordinator of its farm no more. Whoever runs it ends it then.
func (c *Coordinator) Left() <-chan struct{} { return c.cluster.gone }

// checkLeft refuses to start a node that has left its farm.
func checkLeft(dir string) error {
	path := dir + string(os.PathSeparator) + leftFile
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking whether this coordinator has left its farm: %w", err)
	}
	when, why, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return fmt.Errorf("this coordinator left its farm on %s (%s): to have it back, move %s away and let it join anew (overcrank cluster invite on the farm, then --join and --cluster-token-file here)",
		when, why, dir)
}
