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

// Invitations is what holds for every invitation.
type Invitations struct {
	Life  time.Duration // unless whoever invites says otherwise
	Kept  time.Duration // how long one stays listed when its time is over
	Check func(name string, expiresAt, now time.Time) error
}

// Invite makes a token with which one machine becomes a coordinator, and gives its text, which is kept nowhere. CodeForbidden
// unless the caller is an administrator of the farm, CodeConflict when the farm cannot have a second coordinator as it is.
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

// Invitations lists the invitations of coordinators by age.
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

// RevokeInvitation takes an invitation back. Whoever has come with it stays, and has the farm's keys.
func (c *Cluster) RevokeInvitation(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return err
	}
	if _, err := c.state.Apply(ctx, command.RevokeNodeInvitation{ID: id}); err != nil {
		return err
	}
	c.log.Info("an invitation of a coordinator was taken back", "invitation", id, "by", p.Name)
	return nil
}

// CheckInvitation is nil for the secret of an invitation that this farm has made, CodeUnauthorized otherwise.
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
	return farm.Errorf(farm.CodeUnauthorized, "this farm has made no such token for coordinators, or it was taken back; ask for another (overcrank cluster invite)")
}

// ForgetInvitations drops invitations whose time has long been over.
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
