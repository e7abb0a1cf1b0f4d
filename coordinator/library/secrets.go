package library

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"overcrank/coordinator/seal"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Bounds of secrets.
const (
	MaxSecretName  = 100     // characters of a name
	MaxSecretValue = 8 << 10 // bytes of a value
	maxSecrets     = 1000    // of one team
	maxMachineTags = 50      // of one secret
)

// Secrets are the secrets of all teams. Its methods may be called at the same time.
type Secrets struct {
	state   *state.State
	ring    *seal.Ring
	cluster Cluster
	log     *slog.Logger
	sealing sync.RWMutex // held for writing while the key that seals secrets is changed
}

// NewSecrets gives the secrets of a state, which are sealed with the keys of a ring.
func NewSecrets(s *state.State, ring *seal.Ring, cluster Cluster, log *slog.Logger) *Secrets {
	return &Secrets{state: s, ring: ring, cluster: cluster, log: log}
}

// ValidSecretName tells whether a secret may have a name: letters, digits, '_', '-' and '.'.
func ValidSecretName(name string) bool {
	return name != "" && len(name) <= MaxSecretName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == ""
}

// List gives the secrets of the caller's team, without their values.
func (s *Secrets) List(_ context.Context, p farm.Principal) ([]farm.Secret, error) {
	if err := p.May(farm.ActViewSecrets); err != nil {
		return nil, err
	}
	list, err := s.ofTeam(p.Team)
	for i := range list {
		list[i].Sealed = nil
	}
	return list, err
}

func (s *Secrets) ofTeam(team string) (list []farm.Secret, err error) {
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Secrets(team)
		return err
	})
	return list, err
}

// Put adds a secret to the caller's team; CodeConflict when it has one of that name. Only the sealed value is kept. machineTags say
// which machines get it, see farm.Secret.
func (s *Secrets) Put(ctx context.Context, p farm.Principal, name string, value farm.Confidential, machineTags []string) (farm.Secret, error) {
	if err := p.May(farm.ActChangeSecrets); err != nil {
		return farm.Secret{}, err
	}
	if err := checkSecret(name, value, machineTags); err != nil {
		return farm.Secret{}, err
	}
	list, err := s.ofTeam(p.Team)
	if err == nil && len(list) >= maxSecrets {
		err = farm.Errorf(farm.CodeConflict, "the team has %d secrets, which is as many as it may have; delete those that are no longer used", len(list))
	}
	if err != nil {
		return farm.Secret{}, err
	}
	id, err := s.state.NewID()
	if err != nil {
		return farm.Secret{}, err
	}
	secret := farm.Secret{ID: id, Team: p.Team, Name: name, CreatedAt: s.state.Now(), MachineTags: sortedSet(machineTags)}
	s.sealing.RLock() // a change of the key must not miss it
	defer s.sealing.RUnlock()
	if secret.Key, secret.Sealed, err = s.ring.Seal(ownerOf(secret), value.Reveal()); err != nil {
		return farm.Secret{}, fmt.Errorf("sealing a secret: %w", err)
	}
	if _, err := s.state.Apply(ctx, command.PutSecret{Secret: secret}); err != nil {
		return farm.Secret{}, err
	}
	return secret, nil
}

// Restrict changes which machines get a secret of the caller's team: those to which the farm's people gave one of the tags, all
// machines without tags. It holds for what is leased from then on.
func (s *Secrets) Restrict(ctx context.Context, p farm.Principal, id string, machineTags []string) (secret farm.Secret, err error) {
	if err := p.May(farm.ActChangeSecrets); err != nil {
		return farm.Secret{}, err
	}
	if err := checkMachineTags(machineTags); err != nil {
		return farm.Secret{}, err
	}
	if _, err := s.get(p.Team, id); err != nil {
		return farm.Secret{}, err
	}
	_, err = s.state.Apply(ctx, command.ChangeSecret{Team: p.Team, ID: id, MachineTags: sortedSet(machineTags)})
	switch farm.CodeOf(err) {
	case farm.CodeNotFound:
		return farm.Secret{}, noSecret(id)
	case farm.CodeConflict: // with the farm's level: some coordinator does not know of this yet
		return farm.Secret{}, farm.Errorf(farm.CodeUnavailable, "%w", err)
	}
	if err != nil {
		return farm.Secret{}, err
	}
	secret, err = s.get(p.Team, id)
	secret.Sealed = nil
	return secret, err
}

// get gives a secret of a team; CodeNotFound when the team has none with this id.
func (s *Secrets) get(team, id string) (secret farm.Secret, err error) {
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		secret, err = tx.Secret(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && secret.Team != team {
		return farm.Secret{}, noSecret(id)
	}
	return secret, err
}

func noSecret(id string) error { return farm.Errorf(farm.CodeNotFound, "there is no secret %q", id) }

// checkSecret refuses what cannot be a secret.
func checkSecret(name string, value farm.Confidential, machineTags []string) error {
	switch size := len(value.Reveal()); {
	case !ValidSecretName(name):
		return farm.Invalid("the secret cannot be kept", farm.Field("name", "may hold letters, digits, '_', '-' and '.', %d of them at most", MaxSecretName))
	case size == 0 || size > MaxSecretValue:
		return farm.Invalid("the secret cannot be kept", farm.Field("value", "has to have 1 to %d bytes", MaxSecretValue))
	}
	return checkMachineTags(machineTags)
}

// checkMachineTags refuses tags that no machine can have.
func checkMachineTags(tags []string) error {
	const refused = "the secret cannot be restricted to these machines"
	if len(tags) > maxMachineTags {
		return farm.Invalid(refused, farm.Field("machineTags", "holds %d tags; %d are allowed", len(tags), maxMachineTags))
	}
	for i, tag := range tags {
		if !names.IsTitle(tag) {
			return farm.Invalid(refused, farm.Field(fmt.Sprintf("machineTags[%d]", i), names.TitleWords))
		}
	}
	return nil
}

// sortedSet is texts in order, each once; nil for none.
func sortedSet(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

// Delete deletes a secret of the caller's team. Jobs that refer to it and have not rendered will fail and say so.
func (s *Secrets) Delete(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActChangeSecrets); err != nil {
		return err
	}
	_, err := s.state.Apply(ctx, command.DeleteSecret{Team: p.Team, ID: id})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return noSecret(id)
	}
	return err
}
