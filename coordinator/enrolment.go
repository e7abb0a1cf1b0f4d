package coordinator

import (
	"context"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"overcrank/coordinator/authority"
	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// What an agent is told in the frame that closes its session, which has room for 123 bytes.
const (
	retiredWords = "this machine was retired: its certificate opens nothing any more (overcrank agents invite lets it in again)"
	expiredWords = "the certificate with which this session began is no longer good"
)

var errNotEnrolled = farm.Errorf(farm.CodeUnauthorized,
	"this machine is not enrolled, or was retired: its certificate opens nothing; to let it in again, start it with a new join token (overcrank agents invite)")

// Enrol makes a machine an agent of the farm and gives it a certificate; secret is that of a join token. CodeUnauthorized
// when the token lets nobody in any more.
func (c *Coordinator) Enrol(ctx context.Context, secret string, in wire.Enrol) (wire.Enrolled, error) {
	if err := c.CheckJoinToken(secret); err != nil {
		return wire.Enrolled{}, err
	}
	if !names.IsTitle(in.Name) {
		return wire.Enrolled{}, farm.Invalid("the machine cannot join", farm.FieldError{Field: "name", Message: names.TitleWords})
	}
	request, err := readRequest(in.Request)
	if err != nil {
		return wire.Enrolled{}, err
	}
	id, err := c.state.NewID()
	if err != nil {
		return wire.Enrolled{}, err
	}
	now := c.cfg.Now()
	agent := farm.Agent{ID: id, Name: in.Name, EnrolledAt: now, Inventory: c.toldRoots(in.Inventory), Keys: []farm.AgentKey{{SHA256: request.SHA256, Until: c.goodUntil(now)}}}
	if _, err := c.state.Apply(ctx, command.JoinAgent{Hash: seal.HashSecret(secret), Agent: agent, At: now}); err != nil {
		return wire.Enrolled{}, err
	}
	// The machine that came with this key, which is an earlier one when it asks again for an answer that it did not get.
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		agent, err = tx.AgentByKey(request.SHA256)
		return err
	})
	if err != nil {
		return wire.Enrolled{}, fmt.Errorf("reading the machine that has just enrolled: %w", err)
	}
	c.log.Info("a machine has enrolled", "agent", agent.ID, "name", agent.Name, "invitation", agent.JoinToken)
	return c.certify(agent.ID, request, keyOf(agent, request.SHA256).Until)
}

// Renew gives an agent, as AuthenticateAgent found it, a certificate for its next key. The one that it shows stays good
// until it comes with the next.
func (c *Coordinator) Renew(ctx context.Context, a farm.Agent, in wire.Renew) (wire.Enrolled, error) {
	cmd := command.RenewAgentKey{ID: a.ID}
	if len(a.Keys) > 0 {
		cmd.Key = a.Keys[0].SHA256
	} else {
		cmd.SecretHash = a.SecretHash
	}
	request, err := readRequest(in.Request)
	if err != nil {
		return wire.Enrolled{}, err
	}
	cmd.At = c.cfg.Now()
	cmd.Next = farm.AgentKey{SHA256: request.SHA256, Until: c.goodUntil(cmd.At)}
	if _, err := c.state.Apply(ctx, cmd); err != nil {
		return wire.Enrolled{}, err
	}
	c.log.Info("an agent's certificate was renewed", "agent", a.ID, "name", a.Name, "until", cmd.Next.Until)
	return c.certify(a.ID, request, cmd.Next.Until)
}

// certify makes the certificate that the state has announced.
func (c *Coordinator) certify(id string, request authority.Request, until time.Time) (wire.Enrolled, error) {
	certificate, err := c.authority.Agent(request, c.keys.Farm(), id, c.cfg.Now(), until)
	if err != nil {
		return wire.Enrolled{}, err
	}
	enrolled := wire.Enrolled{AgentID: id, Certificate: certificate, Authority: c.authority.Certificate(), Cluster: c.keys.Farm()}
	if pool := c.gossip.ForAgents(); pool != nil {
		enrolled.GossipKey, enrolled.Gossip = pool.Keys[0], pool.Seeds
	}
	return enrolled, nil
}

// goodUntil is when a certificate expires that is made now.
func (c *Coordinator) goodUntil(now time.Time) time.Time {
	return now.Add(c.cfg.CertificateLife).UTC().Truncate(time.Second)
}

func readRequest(der []byte) (authority.Request, error) {
	request, err := authority.ReadRequest(der)
	if err != nil {
		return request, farm.Invalid("the machine cannot get a certificate", farm.FieldError{Field: "request", Message: err.Error()})
	}
	return request, nil
}

// Prove proves to an agent that enrolled with an earlier release that this is its farm. CodeUnauthorized for all others.
func (c *Coordinator) Prove(_ context.Context, in wire.Prove) (wire.Proof, error) {
	if len(in.Nonce) < 16 || len(in.Nonce) > 64 {
		return wire.Proof{}, farm.Invalid("nothing can be proved", farm.FieldError{Field: "nonce", Message: "must have 16 to 64 bytes"})
	}
	var a farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.Agent(in.AgentID)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && a.SecretHash == "" {
		return wire.Proof{}, errNotEnrolled
	}
	if err != nil {
		return wire.Proof{}, err
	}
	certificate := c.authority.Certificate()
	return wire.Proof{Authority: certificate, MAC: wire.ProofOf(a.SecretHash, in.Nonce, certificate)}, nil
}

// AuthenticateAgent finds the agent that shows a certificate, whose chain TLS has verified; CodeUnauthorized when it is none
// of this farm's any more. Of its keys the agent has the one that it shows, and it comes without its inventory.
func (c *Coordinator) AuthenticateAgent(_ context.Context, certificate *x509.Certificate) (farm.Agent, error) {
	if !c.cfg.Now().Before(certificate.NotAfter) {
		return farm.Agent{}, farm.Errorf(farm.CodeUnauthorized, "the certificate of this machine has expired; start it with a new join token (overcrank agents invite)")
	}
	id, err := authority.AgentOf(certificate, c.keys.Farm())
	if err != nil {
		return farm.Agent{}, farm.Errorf(farm.CodeUnauthorized, "this address is for enrolled agents: %w", err)
	}
	key := wire.Fingerprint(certificate.RawSubjectPublicKeyInfo)
	var a farm.Agent
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.AgentByKey(key)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && a.ID != id {
		return farm.Agent{}, errNotEnrolled
	}
	if err != nil {
		return farm.Agent{}, err
	}
	a.Keys, a.SecretHash = []farm.AgentKey{keyOf(a, key)}, ""
	return a, nil
}

// AuthenticateEarlierAgent finds the agent that holds the bearer secret of an earlier release, which is good for one thing:
// a certificate. CodeUnauthorized when there is none.
func (c *Coordinator) AuthenticateEarlierAgent(_ context.Context, secret string) (farm.Agent, error) {
	hash := seal.HashSecret(secret)
	var a farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.AgentBySecretHash(hash)
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return farm.Agent{}, err
	}
	if err != nil || subtle.ConstantTimeCompare([]byte(a.SecretHash), []byte(hash)) != 1 {
		return farm.Agent{}, errNotEnrolled
	}
	a.Keys = nil
	return a, nil
}

func keyOf(a farm.Agent, sha256 string) farm.AgentKey {
	for _, key := range a.Keys {
		if key.SHA256 == sha256 {
			return key
		}
	}
	return farm.AgentKey{SHA256: sha256}
}

// confirm makes the key with which an agent has come its only one.
func (c *Coordinator) confirm(ctx context.Context, a farm.Agent) error {
	if len(a.Keys) == 0 {
		return errNotEnrolled
	}
	var kept farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		kept, err = tx.Agent(a.ID)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return errNotEnrolled
	}
	if err != nil || len(kept.Keys) == 1 && kept.SecretHash == "" {
		return err
	}
	_, err = c.state.Apply(ctx, command.ConfirmAgentKey{ID: a.ID, Key: a.Keys[0].SHA256})
	return err
}

// stillEnrolled says why a session may not go on, "" when it may.
func (c *Coordinator) stillEnrolled(a farm.Agent) (why string) {
	key := a.Keys[0]
	if !c.cfg.Now().Before(key.Until) {
		return expiredWords
	}
	var id string
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		id, err = tx.AgentIDByKey(key.SHA256)
		return err
	})
	switch {
	case err != nil:
		c.log.Error("looking whether an agent is still enrolled", "agent", a.ID, "error", err)
		return ""
	case id != a.ID:
		return retiredWords
	}
	return ""
}

// dismiss ends the session of an agent that is none any more, and gives its tasks to others.
func (l *leader) dismiss(ctx context.Context, id string) (none struct{}, _ error) {
	l.granting.Lock() // no lease is on its way to it
	defer l.granting.Unlock()
	l.mu.Lock()
	s := l.sessions[id]
	leases := l.leasesOfLocked(id)
	delete(l.lastSeen, id)
	delete(l.standings, id)
	delete(l.recent, id)
	l.queue.RemoveMachine(id)
	l.mu.Unlock()
	if s != nil {
		s.refuse(retiredWords)
	}
	if len(leases) > 0 {
		l.takeBack(ctx, true, leases...)
	}
	l.c.hub.spread(farm.Event{Kind: farm.EventMachine, ID: id})
	return none, nil
}

// keepAuthority keeps the authority of a farm that had none, unless machines have certificates of one that is gone.
func (c *Coordinator) keepAuthority() error {
	if !c.authority.Fresh() {
		return nil
	}
	var agents []farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		agents, err = tx.Agents()
		return err
	})
	if err != nil {
		return err
	}
	for _, agent := range agents {
		if len(agent.Keys) > 0 {
			return errors.New("ca.key and ca.crt are gone from the data folder though machines have certificates of them: put both back from a backup; " +
				"if there is none, put in a new key (openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ca.key) and invite every machine again")
		}
	}
	return c.authority.Keep(c.cfg.DataDir)
}
