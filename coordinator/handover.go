package coordinator

import (
	"context"
	"sync"

	"overcrank/raftstore"
)

// TakeLeave does what takes its time before Close, while this node still serves: it hands the lead over and tells gossip good-bye.
func (c *Coordinator) TakeLeave(ctx context.Context) {
	var leaving sync.WaitGroup
	defer leaving.Wait()
	leaving.Go(c.gossip.Leave)
	c.HandOver(ctx)
}

// HandOver gives the farm's lead to another coordinator, when this one has it, and waits until its agents have been sent there. A
// node that stops calls it before its server does. A farm of one node has nobody to hand over to.
func (c *Coordinator) HandOver(ctx context.Context) {
	if c.peers.Alone() || !c.Leads() {
		return
	}
	if members, _, err := c.store.Members(); err != nil || len(members) < 2 {
		return
	}
	if err := c.store.TransferLead(ctx, ""); err != nil {
		c.log.Warn("the farm's lead could not be handed over; the others take it when this coordinator is gone", "error", err)
		return
	}
	c.TermOver(ctx)
}

// OtherAddresses are the base addresses at which the farm's other coordinators are reached, in the order of their ids.
func (c *Coordinator) OtherAddresses() []string {
	var list []string
	err := c.state.View(func(tx *raftstore.Tx) error {
		nodes, err := tx.Coordinators()
		for _, node := range nodes {
			if node.ID != c.store.ID() && node.Public != "" {
				list = append(list, node.Public)
			}
		}
		return err
	})
	if err != nil {
		c.log.Warn("reading where the farm's other coordinators are", "error", err)
	}
	return list
}
