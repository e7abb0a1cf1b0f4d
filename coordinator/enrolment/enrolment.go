// Package enrolment lets machines in: who is invited, what certificate a machine gets with which it is an agent of the farm from then on,
// and whose certificate still counts.
package enrolment

import (
	"context"
	"crypto/subtle"
	"crypto/x509"
	"fmt"
	"log/slog"
	"time"

	"overcrank/coordinator/authority"
	"overcrank/coordinator/cluster"
	"overcrank/coordinator/seal"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Config says how machines are let in.
type Config struct {
	Farm            string        // what the farm is called in its certificates
	CertificateLife time.Duration // of agents' certificates
	Logger          *slog.Logger
}

// Registry is the farm's machines and invitations, as far as it is about letting them in. Its methods may be called at the same time.
type Registry struct {
	farm      string
	life      time.Duration
	log       *slog.Logger
	state     *state.State
	authority *authority.Authority
	cluster   *cluster.Cluster
	gossip    *cluster.Gossip
}

// New lets machines into the farm with this state, on certificates of its authority.
func New(cfg Config, s *state.State, a *authority.Authority, c *cluster.Cluster, g *cluster.Gossip) *Registry {
	return &Registry{farm: cfg.Farm, life: cfg.CertificateLife, log: cfg.Logger, state: s, authority: a, cluster: c, gossip: g}
}

// What an agent is told in the frame that closes its session, which has room for 123 bytes.
const (
	// RetiredWords are for one that is none any more.
	RetiredWords = "this machine was retired: its certificate opens nothing any more (overcrank agents invite lets it in again)"
	expiredWords = "the certificate with which this session began is no longer good"
)

var errNotEnrolled = farm.Errorf(farm.CodeUnauthorized,
	"this machine is not enrolled, or was retired: its certificate opens nothing; to let it in again, start it with a new join token (overcrank agents invite)")

// Enrol makes a machine an agent of the farm and gives it a certificate; secret is that of a join token. CodeUnauthorized
// when nobody can join with the token any more.
func (r *Registry) Enrol(ctx context.Context, secret string, in wire.Enrol) (wire.Enrolled, error) {
	if err := r.CheckJoinToken(secret); err != nil {
		return wire.Enrolled{}, err
	}
	if !names.IsTitle(in.Name) {
		return wire.Enrolled{}, farm.Invalid("the machine cannot join", farm.Field("name", names.TitleWords))
	}
	request, err := readRequest(in.Request)
	if err != nil {
		return wire.Enrolled{}, err
	}
	id, err := r.state.NewID()
	if err != nil {
		return wire.Enrolled{}, err
	}
	now := r.state.Now()
	agent := farm.Agent{ID: id, Name: in.Name, EnrolledAt: now, Inventory: r.cluster.Recordable(in.Inventory), Keys: []farm.AgentKey{{SHA256: request.SHA256, Until: r.goodUntil(now)}}}
	if _, err := r.state.Apply(ctx, command.JoinAgent{Hash: seal.HashSecret(secret), Agent: agent, At: now}); err != nil {
		return wire.Enrolled{}, err
	}
	// The machine that came with this key, which is an earlier one when it asks again for an answer that it did not get.
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		agent, err = tx.AgentByKey(request.SHA256)
		return err
	})
	if err != nil {
		return wire.Enrolled{}, fmt.Errorf("reading the machine that has just enrolled: %w", err)
	}
	r.log.Info("a machine has enrolled", "agent", agent.ID, "name", agent.Name, "invitation", agent.JoinToken)
	return r.certify(agent.ID, request, keyOf(agent, request.SHA256).Until)
}

// Renew gives an agent, as AuthenticateAgent found it, a certificate for its next key. The one that it shows stays good
// until it comes with the next.
func (r *Registry) Renew(ctx context.Context, a farm.Agent, in wire.Renew) (wire.Enrolled, error) {
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
	cmd.At = r.state.Now()
	cmd.Next = farm.AgentKey{SHA256: request.SHA256, Until: r.goodUntil(cmd.At)}
	if _, err := r.state.Apply(ctx, cmd); err != nil {
		return wire.Enrolled{}, err
	}
	r.log.Info("an agent's certificate was renewed", "agent", a.ID, "name", a.Name, "until", cmd.Next.Until)
	return r.certify(a.ID, request, cmd.Next.Until)
}

// certify makes the certificate that the state has announced.
func (r *Registry) certify(id string, request authority.Request, until time.Time) (wire.Enrolled, error) {
	certificate, err := r.authority.Agent(request, r.farm, id, r.state.Now(), until)
	if err != nil {
		return wire.Enrolled{}, err
	}
	enrolled := wire.Enrolled{AgentID: id, Certificate: certificate, Authority: r.authority.Certificate(), Cluster: r.farm}
	if pool := r.gossip.ForAgents(); pool != nil {
		enrolled.GossipKey, enrolled.Gossip = pool.Keys[0], pool.Seeds
	}
	return enrolled, nil
}

// goodUntil is when a certificate expires that is made now.
func (r *Registry) goodUntil(now time.Time) time.Time {
	return now.Add(r.life).UTC().Truncate(time.Second)
}

func readRequest(der []byte) (authority.Request, error) {
	request, err := authority.ReadRequest(der)
	if err != nil {
		return request, farm.Invalid("the machine cannot get a certificate", farm.Field("request", "%v", err))
	}
	return request, nil
}

// Prove proves to an agent that enrolled with an earlier release that this is its farm. CodeUnauthorized for all others.
func (r *Registry) Prove(_ context.Context, in wire.Prove) (wire.Proof, error) {
	if len(in.Nonce) < 16 || len(in.Nonce) > 64 {
		return wire.Proof{}, farm.Invalid("nothing can be proved", farm.Field("nonce", "must have 16 to 64 bytes"))
	}
	var a farm.Agent
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.Agent(in.AgentID)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && a.SecretHash == "" {
		return wire.Proof{}, errNotEnrolled
	}
	if err != nil {
		return wire.Proof{}, err
	}
	certificate := r.authority.Certificate()
	return wire.Proof{Authority: certificate, MAC: wire.ProofOf(a.SecretHash, in.Nonce, certificate)}, nil
}

// AuthenticateAgent finds the agent that shows a certificate, whose chain TLS has verified; CodeUnauthorized when it is none
// of this farm's any more. Of its keys the agent has the one that it shows, and it comes without its inventory.
func (r *Registry) AuthenticateAgent(_ context.Context, certificate *x509.Certificate) (farm.Agent, error) {
	if !r.state.Now().Before(certificate.NotAfter) {
		return farm.Agent{}, farm.Errorf(farm.CodeUnauthorized, "the certificate of this machine has expired; start it with a new join token (overcrank agents invite)")
	}
	id, err := authority.AgentOf(certificate, r.farm)
	if err != nil {
		return farm.Agent{}, farm.Errorf(farm.CodeUnauthorized, "this address is for enrolled agents: %w", err)
	}
	key := wire.Fingerprint(certificate.RawSubjectPublicKeyInfo)
	var a farm.Agent
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
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
func (r *Registry) AuthenticateEarlierAgent(_ context.Context, secret string) (farm.Agent, error) {
	hash := seal.HashSecret(secret)
	var a farm.Agent
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
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

// Confirm makes the key with which an agent has come its only one.
func (r *Registry) Confirm(ctx context.Context, a farm.Agent) error {
	if len(a.Keys) == 0 {
		return errNotEnrolled
	}
	var kept farm.Agent
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		kept, err = tx.Agent(a.ID)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return errNotEnrolled
	}
	if err != nil || len(kept.Keys) == 1 && kept.SecretHash == "" {
		return err
	}
	_, err = r.state.Apply(ctx, command.ConfirmAgentKey{ID: a.ID, Key: a.Keys[0].SHA256})
	return err
}

// StillEnrolled says why a session may not go on, "" when it may.
func (r *Registry) StillEnrolled(a farm.Agent) (why string) {
	key := a.Keys[0]
	if !r.state.Now().Before(key.Until) {
		return expiredWords
	}
	var id string
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		id, err = tx.AgentIDByKey(key.SHA256)
		return err
	})
	switch {
	case err != nil:
		r.log.Error("looking whether an agent is still enrolled", "agent", a.ID, "error", err)
		return ""
	case id != a.ID:
		return RetiredWords
	}
	return ""
}
