package coordinator

import (
	"context"
	"fmt"
	"slices"

	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/raftstore"
)

// resealGroup is how many secrets one command puts under another key.
const resealGroup = 100

// KeyChange is what a change of the key for secrets came to.
type KeyChange struct {
	Key      string   // id of the key that seals from now on
	Resealed int      // secrets that were put under it
	Keys     []string // ids of all keys in the file, newest last
}

// ChangeSecretKey makes a new key for secrets and puts all of them under it. With dropOld the older keys then leave the key
// file; backups of the farm's state from before hold secrets that only they open. It is for administrators of the farm.
func (c *Coordinator) ChangeSecretKey(ctx context.Context, p farm.Principal, dropOld bool) (KeyChange, error) {
	if err := p.May(farm.ActChangeSecretKey); err != nil {
		return KeyChange{}, err
	}
	return peers.AskLeader(ctx, c.peers, askSecretKey, newSecretKey{DropOld: dropOld})
}

// newSecretKey asks the leader for a new key for secrets.
type newSecretKey struct {
	DropOld bool `json:"dropOld,omitempty"`
}

// changeSecretKey changes the key on the leader, so that two changes do not meet.
func (c *Coordinator) changeSecretKey(ctx context.Context, in newSecretKey) (KeyChange, error) {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	if err := c.store.Confirm(ctx); err != nil {
		return KeyChange{}, err
	}
	old := c.ring.IDs()
	key, err := c.nextSecretKey(ctx)
	if err != nil {
		return KeyChange{}, err
	}
	n, err := c.reseal(ctx, key)
	if err != nil {
		return KeyChange{}, err
	}
	if in.DropOld {
		if err := c.dropSecretKeys(ctx, old); err != nil {
			return KeyChange{}, err
		}
	}
	c.log.Info("the key for secrets was changed", "key", key, "resealed", n, "dropped", in.DropOld)
	return KeyChange{Key: key, Resealed: n, Keys: c.ring.IDs()}, nil
}

// reseal puts every secret under a key. c.sealing is held.
func (c *Coordinator) reseal(ctx context.Context, key string) (int, error) {
	var secrets []farm.Secret
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		secrets, err = tx.AllSecrets()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("looking for secrets: %w", err)
	}
	secrets = slices.DeleteFunc(secrets, func(s farm.Secret) bool { return s.Key == key })
	for group := range slices.Chunk(secrets, resealGroup) {
		cmd := raftstore.ResealSecrets{}
		for _, s := range group {
			value, err := c.ring.Open(s.Key, s.Sealed, ownerOf(s))
			if err != nil {
				return 0, fmt.Errorf("opening the secret '%s': %w", s.Name, err)
			}
			id, sealed, err := c.ring.Seal(ownerOf(s), value)
			if err != nil {
				return 0, fmt.Errorf("sealing the secret '%s': %w", s.Name, err)
			}
			cmd.Secrets = append(cmd.Secrets, raftstore.Resealed{ID: s.ID, Was: s.Key, Key: id, Sealed: sealed})
		}
		if _, err := c.state.Apply(ctx, cmd); err != nil {
			return 0, err
		}
	}
	return len(secrets), nil
}
