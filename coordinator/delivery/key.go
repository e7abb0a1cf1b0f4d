package delivery

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const keyPrefix = "ocw_"

// key is the key with which a team's webhooks are signed. It is derived, so none is kept.
func (d *Webhooks) key(team string) (string, error) {
	var salt string
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		salt, err = tx.WebhookSalt(team)
		return err
	})
	return keyPrefix + hex.EncodeToString(d.derive("webhooks "+team+" "+salt, 32)), err
}

// Key is the key with which the webhooks of the caller's team are signed.
func (d *Webhooks) Key(_ context.Context, p farm.Principal) (string, error) {
	if err := p.May(farm.ActViewWebhookKey); err != nil {
		return "", err
	}
	return d.key(p.Team)
}

// RenewKey gives the caller's team another key; deliveries are signed with it from now on.
func (d *Webhooks) RenewKey(ctx context.Context, p farm.Principal) (string, error) {
	if err := p.May(farm.ActRenewWebhookKey); err != nil {
		return "", err
	}
	if _, err := d.state.Apply(ctx, command.RenewWebhookKey{Team: p.Team, Salt: rand.Text()}); err != nil {
		return "", err
	}
	return d.key(p.Team)
}
