package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"overcrank/coordinator/authority"
	"overcrank/coordinator/farmkeys"
	"overcrank/coordinator/library"
	"overcrank/coordinator/membership"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/seal"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore/command"
)

// handedOver lists the files that make a node one of the farm's. farm.key is last: once it is there, so are the others.
func handedOver() []string {
	files := append(farmkeys.Files(), eraFile)
	slices.Reverse(files)
	return files
}

// DeriveKeys derives the secrets of a new farm from its key, so that all coordinators that begin it have the same.
func DeriveKeys(dir string, keys farmkeys.Keys) error {
	ring, err := seal.Load(filepath.Join(dir, farmkeys.SecretsFile))
	if err != nil {
		return err
	}
	if err := ring.Begin(keys.Derive("first key for secrets", seal.FirstSize)); err != nil {
		return err
	}
	has, err := durable.Exists(filepath.Join(dir, authority.KeyFile)) // the studio's
	if err != nil || has {
		return err
	}
	a, err := authority.Derive(keys.Derive("authority", 32), keys.Farm())
	if err != nil {
		return err
	}
	return a.Keep(dir)
}

// GiveKeys returns the farm's keys to a coordinator that presents the secret of an invitation. CodeUnauthorized when the invitation is
// not valid; other errors say why the coordinator cannot join.
func (c *Cluster) GiveKeys(ctx context.Context, secret string, in wire.NodeJoin) (wire.NodeKeys, error) {
	if err := c.CheckInvitation(secret); err != nil {
		return wire.NodeKeys{}, err
	}
	asks := nodeReport{Coordinator: farm.Coordinator{ID: in.ID, Name: in.Name, Version: in.Version, Level: in.Level, At: in.At}}
	if err := c.admissible(asks); err != nil {
		return wire.NodeKeys{}, err
	}
	if _, err := c.state.Apply(ctx, command.UseNodeInvitation{Hash: seal.HashSecret(secret), Node: in.ID, At: c.state.Now()}); err != nil {
		return wire.NodeKeys{}, err
	}
	keys := wire.NodeKeys{Farm: c.cfg.Farm, Files: map[string][]byte{}}
	for _, name := range handedOver() {
		text, err := os.ReadFile(filepath.Join(c.cfg.Dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return wire.NodeKeys{}, fmt.Errorf("reading the farm's keys: %w", err)
		}
		keys.Files[name] = text
	}
	members, _, err := c.raft.Members()
	if err != nil {
		return wire.NodeKeys{}, err
	}
	keys.Members = []string{c.peers.Address()} // Raft may still have an old address of it after a restart
	for _, m := range members {
		if m.ID != c.raft.ID() {
			keys.Members = append(keys.Members, m.Address)
		}
	}
	c.log.Info("a coordinator was given the farm's keys", "id", in.ID, "name", in.Name)
	return keys, nil
}

// TakeKeys writes what GiveKeys returned into the data folder of a node without keys, which then waits to be let in.
func TakeKeys(dir string, keys wire.NodeKeys) error {
	if len(keys.Files[farmkeys.FarmFile]) == 0 || len(keys.Files[authority.KeyFile]) == 0 {
		return errors.New("the farm did not give all of its keys; is it of another version?")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	if err := (Wanted{Join: keys.Members}).keep(dir); err != nil {
		return err
	}
	for _, name := range handedOver() {
		if text := keys.Files[name]; len(text) > 0 {
			if err := KeepKeyFile(dir, name, text); err != nil {
				return fmt.Errorf("keeping the farm's keys: %w", err)
			}
		}
	}
	return nil
}

// KeepKeyFile writes one of the farm's key files. Files without a checksum of their own get one beside them.
func KeepKeyFile(dir, name string, content []byte) error {
	write := durable.WriteFile
	if name == farmkeys.FarmFile || name == eraFile {
		write = durable.WriteSummed
	}
	return write(filepath.Join(dir, name), content, 0o600)
}

// TellKeys sends the keys for secrets to every other member. CodeConflict when one of them cannot be reached.
func (c *Cluster) TellKeys(ctx context.Context, keys library.Keys) error {
	members, _, err := c.raft.Members()
	if err != nil {
		return err
	}
	names := c.names()
	for _, m := range members {
		if m.ID == c.raft.ID() {
			continue
		}
		if _, err := peers.Ask(ctx, c.peers, m.Address, AskSecretKeys, keys); err != nil {
			return farm.Errorf(farm.CodeConflict, "all coordinators change the key for secrets together, and %s does not answer: try again when it is back, or remove it first (overcrank cluster remove %s): %w",
				cmp.Or(names[m.ID], m.ID), m.ID, err)
		}
	}
	return nil
}

// shareKeys sends the keys for secrets to members that lack some, for example because they joined during a rotation.
func (c *Cluster) shareKeys(ctx context.Context) {
	own := c.ring.IDs()
	if len(own) == 0 {
		return
	}
	for _, s := range c.sightings() {
		has := s.report.Secrets
		if !s.answered || time.Since(s.heard) > membership.DeadAfter || s.report.Blank || hasKeys(has, own) {
			continue
		}
		if _, err := peers.Ask(ctx, c.peers, s.report.Cluster, AskSecretKeys, library.Keys{Keys: c.ring.Keys()}); err != nil {
			c.log.Debug("giving a coordinator the keys for secrets", "id", s.report.ID, "error", err)
		}
	}
}

// hasKeys reports whether a coordinator has all of the leader's keys for secrets and seals with the same one.
func hasKeys(has, own []string) bool {
	if len(has) == 0 || has[len(has)-1] != own[len(own)-1] {
		return false
	}
	return !slices.ContainsFunc(own, func(id string) bool { return !slices.Contains(has, id) })
}
