package coordinator

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"time"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const nodeTokenPrefix = "occ_"

// InviteNode makes a token with which one machine becomes a coordinator, and gives its text, which is kept nowhere. CodeForbidden
// unless the caller is an administrator of the farm, CodeConflict when the farm cannot have a second coordinator as it is.
func (c *Coordinator) InviteNode(ctx context.Context, p farm.Principal, name string, expiresAt time.Time) (farm.NodeInvitation, string, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return farm.NodeInvitation{}, "", err
	}
	none := farm.NodeInvitation{}
	now := c.cfg.Now()
	if expiresAt.IsZero() {
		expiresAt = now.Add(invitationLife)
	}
	if err := checkInvitation(NewJoinToken{Name: name, Uses: 1, ExpiresAt: expiresAt}, now); err != nil {
		return none, "", err
	}
	if err := c.admissible(nodeReport{Coordinator: c.cluster.self()}); err != nil {
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

// NodeInvitations lists the invitations of coordinators by age.
func (c *Coordinator) NodeInvitations(_ context.Context, p farm.Principal) ([]farm.NodeInvitation, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return nil, err
	}
	return c.nodeInvitations()
}

func (c *Coordinator) nodeInvitations() (list []farm.NodeInvitation, err error) {
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.NodeInvitations()
		return err
	})
	return list, err
}

// RevokeNodeInvitation takes an invitation back. Whoever has come with it stays, and has the farm's keys.
func (c *Coordinator) RevokeNodeInvitation(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return err
	}
	if _, err := c.state.Apply(ctx, command.RevokeNodeInvitation{ID: id}); err != nil {
		return err
	}
	c.log.Info("an invitation of a coordinator was taken back", "invitation", id, "by", p.Name)
	return nil
}

// CheckNodeInvitation is nil for the secret of an invitation that this farm has made, CodeUnauthorized otherwise.
func (c *Coordinator) CheckNodeInvitation(secret string) error {
	list, err := c.nodeInvitations()
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

// forgetNodeInvitations drops invitations whose time has long been over.
func (c *Coordinator) forgetNodeInvitations(ctx context.Context) error {
	before := c.cfg.Now().Add(-invitedFor)
	list, err := c.nodeInvitations()
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

// randomBytes are fit for secrets.
func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // crypto/rand never fails: it ends the process instead
	return b
}
