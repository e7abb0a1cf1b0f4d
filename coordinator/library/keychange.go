package library

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// resealGroup is how many secrets one command puts under another key.
const resealGroup = 100

// Cluster is what a change of the key for secrets needs of the farm's coordinators.
type Cluster interface {
	// ChangeSecretKey has the leader call ChangeKeyHere.
	ChangeSecretKey(ctx context.Context, in NewKey) (KeyChange, error)
	// Confirm is an error unless this node leads.
	Confirm(ctx context.Context) error
	// TellKeys has every other coordinator call TakeKeys. It is CodeConflict when one of them cannot be reached.
	TellKeys(ctx context.Context, keys Keys) error
}

// KeyChange is what a change of the key for secrets came to.
type KeyChange struct {
	Key      string   // id of the key that seals from now on
	Resealed int      // secrets that were put under it
	Keys     []string // ids of all keys in the file, newest last
}

// NewKey asks for a new key for secrets.
type NewKey struct {
	DropOld bool `json:"dropOld,omitempty"`
}

// Keys gives another coordinator keys for secrets, or has it drop some.
type Keys struct {
	Keys []string `json:"keys,omitempty"` // as seal.Ring.Take takes them
	Drop []string `json:"drop,omitempty"` // ids
}

// ChangeKey makes a new key for secrets and puts all of them under it. With dropOld the older keys then leave the key file; backups of
// the farm's state from before hold secrets that only they open. It is for administrators of the farm.
func (s *Secrets) ChangeKey(ctx context.Context, p farm.Principal, dropOld bool) (KeyChange, error) {
	if err := p.May(farm.ActChangeSecretKey); err != nil {
		return KeyChange{}, err
	}
	return s.cluster.ChangeSecretKey(ctx, NewKey{DropOld: dropOld})
}

// ChangeKeyHere changes the key on the leader, so that two changes do not meet.
func (s *Secrets) ChangeKeyHere(ctx context.Context, in NewKey) (KeyChange, error) {
	s.sealing.Lock()
	defer s.sealing.Unlock()
	if err := s.cluster.Confirm(ctx); err != nil {
		return KeyChange{}, err
	}
	old := s.ring.IDs()
	key, err := s.addKey(ctx)
	if err != nil {
		return KeyChange{}, err
	}
	n, err := s.reseal(ctx, key)
	if err != nil {
		return KeyChange{}, err
	}
	if in.DropOld {
		if err := s.dropKeys(ctx, old); err != nil {
			return KeyChange{}, err
		}
	}
	s.log.Info("the key for secrets was changed", "key", key, "resealed", n, "dropped", in.DropOld)
	return KeyChange{Key: key, Resealed: n, Keys: s.ring.IDs()}, nil
}

// addKey makes a key that seals from now on. Every coordinator has it before one of them uses it: first all take it as an old one,
// then as the newest.
func (s *Secrets) addKey(ctx context.Context) (id string, err error) {
	made, id, err := seal.NewKey()
	if err != nil {
		return "", err
	}
	known := s.ring.Keys()
	for _, keys := range [][]string{append([]string{made}, known...), append(known, made)} {
		if err := s.cluster.TellKeys(ctx, Keys{Keys: keys}); err != nil {
			return "", err
		}
		if err := s.ring.Take(keys); err != nil {
			return "", err
		}
	}
	return id, nil
}

// dropKeys removes keys from every coordinator. One that cannot be reached keeps them.
func (s *Secrets) dropKeys(ctx context.Context, ids []string) error {
	if err := s.ring.Drop(ids); err != nil {
		return err
	}
	if err := s.cluster.TellKeys(ctx, Keys{Drop: ids}); err != nil {
		s.log.Warn("old keys for secrets stay with a coordinator", "error", err)
	}
	return nil
}

// TakeKeys takes keys from another coordinator, once nothing is being sealed with an older one.
func (s *Secrets) TakeKeys(from string, in Keys) error {
	s.sealing.Lock()
	defer s.sealing.Unlock()
	if err := s.ring.Take(in.Keys); err != nil {
		return err
	}
	if err := s.ring.Drop(in.Drop); err != nil {
		return err
	}
	s.log.Info("another coordinator changed the keys for secrets", "from", from, "keys", s.ring.IDs())
	return nil
}

// TakeOldKeys gives all coordinators keys that secrets of a backup are sealed with, behind those in force. It is for the leader, where
// keys are changed.
func (s *Secrets) TakeOldKeys(ctx context.Context, old []string) error {
	s.sealing.Lock()
	defer s.sealing.Unlock()
	if err := s.cluster.Confirm(ctx); err != nil {
		return err
	}
	keys := append(slices.Clone(old), s.ring.Keys()...)
	if err := s.cluster.TellKeys(ctx, Keys{Keys: keys}); err != nil {
		return err
	}
	return s.ring.Take(keys)
}

// reseal puts every secret under a key. s.sealing is held.
func (s *Secrets) reseal(ctx context.Context, key string) (int, error) {
	secrets, err := s.all()
	if err != nil {
		return 0, err
	}
	secrets = slices.DeleteFunc(secrets, func(secret farm.Secret) bool { return secret.Key == key })
	for group := range slices.Chunk(secrets, resealGroup) {
		cmd := command.ResealSecrets{}
		for _, secret := range group {
			value, err := s.ring.Open(secret.Key, secret.Sealed, ownerOf(secret))
			if err != nil {
				return 0, fmt.Errorf("opening the secret '%s': %w", secret.Name, err)
			}
			id, sealed, err := s.ring.Seal(ownerOf(secret), value)
			if err != nil {
				return 0, fmt.Errorf("sealing the secret '%s': %w", secret.Name, err)
			}
			cmd.Secrets = append(cmd.Secrets, command.Resealed{ID: secret.ID, Was: secret.Key, Key: id, Sealed: sealed})
		}
		if _, err := s.state.Apply(ctx, cmd); err != nil {
			return 0, err
		}
	}
	return len(secrets), nil
}

func (s *Secrets) all() (secrets []farm.Secret, err error) {
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		secrets, err = tx.AllSecrets()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for secrets: %w", err)
	}
	return secrets, nil
}

// CheckKeys makes sure that what is sealed in the state can be opened, and makes the key file of a farm that has sealed nothing yet.
func (s *Secrets) CheckKeys() error {
	secrets, err := s.all()
	if err != nil {
		return err
	}
	if len(s.ring.IDs()) == 0 && len(secrets) == 0 {
		_, err := s.ring.Add()
		return err
	}
	lost := map[string]int{}
	for _, secret := range secrets {
		if _, err := s.ring.Open(secret.Key, secret.Sealed, ownerOf(secret)); errors.Is(err, seal.ErrNoKey) {
			lost[secret.Key]++
		} else if err != nil {
			return fmt.Errorf("%s does not fit the farm's state: its key %s does not open the secret '%s'; put back the file that belongs to this farm",
				s.ring.Path(), secret.Key, secret.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lost)) {
		return fmt.Errorf("%s lacks the key %s, with which %d secrets are sealed: put the file, or that line of it, back from a backup; without it their values are lost",
			s.ring.Path(), key, lost[key])
	}
	return nil
}
