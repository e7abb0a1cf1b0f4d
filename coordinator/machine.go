package coordinator

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"slices"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// maxName is how long a machine's name may be, in bytes.
const maxName = 200

// CheckJoinToken is nil for the farm's join token, CodeUnauthorized otherwise.
func (c *Coordinator) CheckJoinToken(joinToken string) error {
	if !sameSecret(joinToken, c.keys.join) {
		return farm.Errorf(farm.CodeUnauthorized, "this join token is not the farm's; its right one lies in %s in the coordinator's data folder", joinTokenFile)
	}
	return nil
}

// Enrol makes a machine an agent of the farm; joinToken is the bearer it showed.
func (c *Coordinator) Enrol(ctx context.Context, joinToken string, in wire.Enrol) (wire.Enrolled, error) {
	if err := c.CheckJoinToken(joinToken); err != nil {
		return wire.Enrolled{}, err
	}
	if in.Name == "" || len(in.Name) > maxName {
		return wire.Enrolled{}, farm.Invalid("the machine cannot join", farm.FieldError{Field: "name", Message: fmt.Sprintf("must have 1 to %d bytes", maxName)})
	}
	id, err := c.ids.next()
	if err != nil {
		return wire.Enrolled{}, err
	}
	secret := newSecret(agentPrefix)
	agent := farm.Agent{ID: id, Name: in.Name, SecretHash: hashSecret(secret), EnrolledAt: c.cfg.Now(), Inventory: in.Inventory}
	res, err := c.apply(ctx, raftstore.EnrolAgent{Agent: agent})
	if err != nil {
		return wire.Enrolled{}, err
	}
	if l := c.leading(); l != nil {
		l.noteAgents(res.Index, []farm.Agent{agent})
	}
	c.hub.publish(farm.Event{Kind: farm.EventMachine, ID: id})
	enrolled := wire.Enrolled{AgentID: id, Secret: secret, GossipKey: c.keys.derive("gossip", 32), Cluster: c.keys.cluster()}
	if c.pool != nil {
		enrolled.Gossip = []string{c.pool.Address()}
	}
	return enrolled, nil
}

// AuthenticateAgent finds the agent that holds a secret; CodeUnauthorized when there is none.
func (c *Coordinator) AuthenticateAgent(_ context.Context, secret string) (farm.Agent, error) {
	hash := hashSecret(secret)
	var a farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.AgentBySecretHash(hash)
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return farm.Agent{}, err
	}
	if err != nil || subtle.ConstantTimeCompare([]byte(a.SecretHash), []byte(hash)) != 1 {
		return farm.Agent{}, farm.Errorf(farm.CodeUnauthorized, "this machine is not enrolled, or was removed; enrol it again with the join token")
	}
	return a, nil
}

// Machines lists the farm's workstations by name. Of another team's work it tells only that there is some.
func (c *Coordinator) Machines(_ context.Context, p farm.Principal) ([]farm.Machine, error) {
	var agents []farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		agents, err = tx.Agents()
		return err
	})
	if err != nil {
		return nil, err
	}
	alive := map[string]bool{}
	if c.pool != nil {
		for _, n := range c.pool.Members() {
			alive[n.ID] = n.Role == wire.RoleAgent
		}
	}
	list := make([]farm.Machine, len(agents))
	l := c.leading()
	for i, a := range agents {
		a.SecretHash = ""
		list[i] = farm.Machine{Agent: a, Gossip: alive[a.ID]}
		if l != nil {
			l.describe(&list[i], p.Team)
		}
	}
	slices.SortFunc(list, func(a, b farm.Machine) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// describe adds what the leader knows of a machine, as far as it is a team's business.
func (l *leader) describe(m *farm.Machine, team string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.LastSeen = l.lastSeen[m.ID]
	if s := l.sessions[m.ID]; s != nil {
		m.Online, m.LastSeen, m.Address, m.Availability = true, s.seen, s.address, s.availability
	}
	for _, h := range l.leasesOfLocked(m.ID) {
		if h.team != team {
			m.Running = append(m.Running, farm.RunningTask{Frame: -1, Phase: h.phase, Since: h.since})
			continue
		}
		m.Running = append(m.Running, farm.RunningTask{
			Task: h.Task, Job: h.job, Attempt: h.Attempt.Attempt,
			Progress: h.progress, Frame: h.frame, Phase: h.phase, Since: h.since,
		})
	}
	slices.SortFunc(m.Running, func(a, b farm.RunningTask) int { return cmp.Compare(a.Task, b.Task) })
}
