package cluster

import (
	"context"
	"crypto/subtle"
	"time"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const nodeTokenPrefix = "occ_"

// Invitations configures all invitations.
type Invitations struct {
	Life  time.Duration // default lifetime
	Kept  time.Duration // how long an expired one stays listed
	Check func(name string, expiresAt, now time.Time) error
}

// Invite creates a token with which one machine becomes a coordinator. The token is returned and not stored. CodeForbidden unless the
// caller is an administrator of the farm, CodeConflict when this farm cannot have a second coordinator.
func (c *Cluster) Invite(ctx context.Context, p farm.Principal, name string, expiresAt time.Time) (farm.NodeInvitation, string, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return farm.NodeInvitation{}, "", err
	}
	none := farm.NodeInvitation{}
	now := c.state.Now()
	if expiresAt.IsZero() {
		expiresAt = now.Add(c.cfg.Invitations.Life)
	}
	if err := c.cfg.Invitations.Check(name, expiresAt, now); err != nil {
		return none, "", err
	}
	if err := c.admissible(nodeReport{Coordinator: c.self()}); err != nil {
		return none, "", err
	}
	id, err := c.state.NewID()
	if err != nil {
		return none, "", err
	}
	secret := seal.NewSecret(nodeTokenPrefix)
	invitation := farm.NodeInvitation{ID: id, Name: name, Hash: seal.HashSecret(secret), CreatedBy: p.Name, CreatedAt: now, ExpiresAt: expiresAt}
	if _, err := c.state.Apply(ctx, command.PutNodeInvitation{Invitation: invitation}); err != nil {
		return none, "", err
	}
	c.log.Info("a coordinator was invited", "invitation", id, "name", name, "expires", expiresAt, "by", p.Name)
	return invitation, wire.NodeToken{Secret: secret, Authority: c.authority.Fingerprint()}.String(), nil
}

// Invitations lists the invitations of coordinators, oldest first.
func (c *Cluster) Invitations(_ context.Context, p farm.Principal) ([]farm.NodeInvitation, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return nil, err
	}
	return c.invitations()
}

func (c *Cluster) invitations() (list []farm.NodeInvitation, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.NodeInvitations()
		return err
	})
	return list, err
}

// RevokeInvitation revokes an invitation. A coordinator that came with it stays, and has the farm's keys.
func (c *Cluster) RevokeInvitation(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return err
	}
	if _, err := c.state.Apply(ctx, command.RevokeNodeInvitation{ID: id}); err != nil {
		return err
	}
	c.log.Info("revoked the invitation of a coordinator", "invitation", id, "by", p.Name)
	return nil
}

// CheckInvitation is nil for the secret of one of this farm's invitations; CodeUnauthorized otherwise.
func (c *Cluster) CheckInvitation(secret string) error {
	list, err := c.invitations()
	if err != nil {
		return err
	}
	hash := seal.HashSecret(secret)
	for _, invitation := range list {
		if subtle.ConstantTimeCompare([]byte(invitation.Hash), []byte(hash)) == 1 {
			return nil
		}
	}
	return farm.Errorf(farm.CodeUnauthorized, "this farm has made no such token for coordinators, or it was revoked; ask for another (overcrank cluster invite)")
}

// ForgetInvitations deletes invitations that expired long ago.
func (c *Cluster) ForgetInvitations(ctx context.Context) error {
	before := c.state.Now().Add(-c.cfg.Invitations.Kept)
	list, err := c.invitations()
	if err != nil {
		return err
	}
	for _, invitation := range list {
		if invitation.Expired(before) {
			_, err := c.state.Apply(ctx, command.ForgetNodeInvitations{Before: before})
			return err
		}
	}
	return nil
}
