package coordinator

import (
	"cmp"
	"context"
	"time"

	"overcrank/coordinator/cluster"
	"overcrank/coordinator/enrolment"
	"overcrank/coordinator/library"
	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore/command"
)

// Cluster is the farm's coordinators, and this one's place among them.
func (c *Coordinator) Cluster() *cluster.Cluster { return c.cluster }

// Gossip is this coordinator's part in the pool where coordinators and agents find each other.
func (c *Coordinator) Gossip() *cluster.Gossip { return c.gossip }

// PublicAddress is the farm's one base address, without a trailing slash: every link begins with it.
func (c *Coordinator) PublicAddress() string {
	if c.cluster == nil { // the state is not open yet
		return cmp.Or(c.cfg.PublicAddress, c.cfg.NodeAddress)
	}
	return c.cluster.PublicAddress()
}

// Level is the highest level of commands that this program understands.
func Level() int { return command.NewestLevel }

// openCluster makes the rooms of the farm's coordinators ready. The state is open.
func (c *Coordinator) openCluster() {
	c.gossip = cluster.NewGossip(cluster.GossipConfig{
		Bind: c.cfg.GossipBind, Elsewhere: c.cfg.GossipElsewhere, PortFile: c.path("gossip.port"), Seeds: c.cfg.GossipSeeds, Label: c.keys.Farm(),
		Streams: c.cfg.GossipStreams, Derive: c.keys.Derive, Logger: c.log,
		Node: wire.Node{ID: c.store.ID(), Role: wire.RoleCoordinator, Version: c.cfg.Version, Address: c.cfg.NodeAddress, Cluster: c.peers.Address()},
	}, c.state, member{c})
	c.cluster = cluster.New(cluster.Config{
		Dir: c.cfg.DataDir, Farm: c.keys.Farm(), Eras: c.eras, Wanted: c.wanted, Version: c.cfg.Version, NodeAddress: c.cfg.NodeAddress,
		PublicAddress: c.cfg.PublicAddress, PromoteAfter: c.cfg.PromoteAfter, RemoveDeadAfter: c.cfg.RemoveDeadAfter, Logger: c.log,
		Invitations: cluster.Invitations{Life: enrolment.InvitationLife, Kept: enrolment.InvitedFor, Check: func(name string, expiresAt, now time.Time) error {
			return enrolment.CheckInvitation(enrolment.NewJoinToken{Name: name, Uses: 1, ExpiresAt: expiresAt}, now)
		}},
	}, cluster.Parts{
		Farm: member{c}, Raft: c.store, State: c.state, Peers: c.peers, Ring: c.ring, Authority: c.authority, Gossip: c.gossip, Storage: c.storage,
	})
}

// member is what the cluster knows of this coordinator.
type member struct{ *Coordinator }

var _ cluster.Farm = member{}

// Works says whether this node has taken up the leader's work.
func (m member) Works() bool { return m.Leads() }

// MachineSeen tells those who watch that a machine has come or gone.
func (m member) MachineSeen(id string) { m.hub.Publish(farm.Event{Kind: farm.EventMachine, ID: id}) }

// keyChanges is what a change of the key for secrets knows of this coordinator.
type keyChanges struct{ *Coordinator }

var _ library.Cluster = keyChanges{}

// Confirm is an error unless this node leads.
func (k keyChanges) Confirm(ctx context.Context) error { return k.store.Confirm(ctx) }

// ChangeSecretKey has the leader change the key.
func (k keyChanges) ChangeSecretKey(ctx context.Context, in library.NewKey) (library.KeyChange, error) {
	return peers.AskLeader(ctx, k.peers, askSecretKey, in)
}

// TellKeys gives every other member the same keys.
func (k keyChanges) TellKeys(ctx context.Context, keys library.Keys) error {
	return k.cluster.TellKeys(ctx, keys)
}
