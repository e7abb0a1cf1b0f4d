package coordinator

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/coordinator/authority"
	"overcrank/coordinator/library"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/seal"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// eraFile names the eras of the farm's Raft, see internode.Config: nodes from before a recovery must not be heard after it.
const eraFile = "cluster.era"

// handedOver are the files of the data folder that make a node one of the farm's, farm.key last: with it they are all there.
func handedOver() []string {
	files := append(KeyFiles(), eraFile)
	slices.Reverse(files)
	return files
}

// NewFarmKey makes the key of a farm, as farm.key holds it.
func NewFarmKey() string { return hex.EncodeToString(randomBytes(32)) }

// KeepFarmKey puts a farm's key into a data folder that has none. It is an error when the folder has another one.
func KeepFarmKey(dir, text string) error {
	text = strings.TrimSpace(text)
	if key, err := hex.DecodeString(text); err != nil || len(key) != 32 {
		return errors.New("a farm's key has 64 hexadecimal digits, as overcrank cluster key prints them")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	kept, err := secretFile(filepath.Join(dir, farmKeyFile), func() string { return text })
	if err == nil && kept != text {
		return fmt.Errorf("%s holds another farm's key already: this folder belongs to that farm", filepath.Join(dir, farmKeyFile))
	}
	return err
}

// deriveKeys makes what is secret of a new farm out of its key, so that all who are to begin it have the same.
func (c *Coordinator) deriveKeys() error {
	if !c.awaits || c.cfg.BootstrapExpect < 2 {
		return nil
	}
	ring, err := seal.Load(c.path(secretKeyFile))
	if err != nil {
		return err
	}
	if err := ring.Begin(c.keys.derive("first key for secrets", seal.FirstSize)); err != nil {
		return err
	}
	has, err := exists(c.path(authority.KeyFile)) // the studio's
	if err != nil || has {
		return err
	}
	a, err := authority.Derive(c.keys.derive("authority", 32), c.keys.cluster())
	if err != nil {
		return err
	}
	return a.Keep(c.cfg.DataDir)
}

// GiveKeys gives a coordinator that shows the secret of an invitation what makes it one of the farm's. CodeUnauthorized when
// the invitation lets nobody in any more; the other errors say why that coordinator cannot be one of this farm's.
func (c *Coordinator) GiveKeys(ctx context.Context, secret string, in wire.NodeJoin) (wire.NodeKeys, error) {
	if err := c.CheckNodeInvitation(secret); err != nil {
		return wire.NodeKeys{}, err
	}
	asks := nodeReport{Coordinator: farm.Coordinator{ID: in.ID, Name: in.Name, Version: in.Version, Level: in.Level, At: in.At}}
	if err := c.admissible(asks); err != nil {
		return wire.NodeKeys{}, err
	}
	if _, err := c.state.Apply(ctx, command.UseNodeInvitation{Hash: seal.HashSecret(secret), Node: in.ID, At: c.cfg.Now()}); err != nil {
		return wire.NodeKeys{}, err
	}
	keys := wire.NodeKeys{Farm: c.keys.cluster(), Files: map[string][]byte{}}
	for _, name := range handedOver() {
		text, err := os.ReadFile(c.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return wire.NodeKeys{}, fmt.Errorf("reading the farm's keys: %w", err)
		}
		keys.Files[name] = text
	}
	members, _, err := c.store.Members()
	if err != nil {
		return wire.NodeKeys{}, err
	}
	keys.Members = []string{c.peers.Address()} // which the members may have of it wrong for a moment after a restart
	for _, m := range members {
		if m.ID != c.store.ID() {
			keys.Members = append(keys.Members, m.Address)
		}
	}
	c.log.Info("a coordinator was given the farm's keys", "id", in.ID, "name", in.Name)
	return keys, nil
}

// TakeKeys puts what GiveKeys gave into the data folder of a node that has no keys, which then waits to be let in.
func TakeKeys(dir string, keys wire.NodeKeys) error {
	if len(keys.Files[farmKeyFile]) == 0 || len(keys.Files[authority.KeyFile]) == 0 {
		return errors.New("the farm did not give all of its keys; is it of another version?")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	if err := keepWaiting(dir, awaited{Join: keys.Members}); err != nil {
		return err
	}
	for _, name := range handedOver() {
		if text := keys.Files[name]; len(text) > 0 {
			if err := keepKeyFile(dir, name, text); err != nil {
				return fmt.Errorf("keeping the farm's keys: %w", err)
			}
		}
	}
	return nil
}

// keepKeyFile writes one of the files that hold what is secret of the farm. Those that say nothing themselves of what they held are
// written beside their hash.
func keepKeyFile(dir, name string, content []byte) error {
	write := durable.WriteFile
	if name == farmKeyFile || name == eraFile {
		write = durable.WriteSummed
	}
	return write(filepath.Join(dir, name), content, 0o600)
}

// HasKeys tells whether a data folder is one of a farm.
func HasKeys(dir string) (bool, error) { return exists(filepath.Join(dir, farmKeyFile)) }

// NodeID is the id of the coordinator of a data folder, made when it has none.
func NodeID(dir string) (string, error) {
	state := filepath.Join(dir, stateFolder)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", fmt.Errorf("making the data folder: %w", err)
	}
	return raftstore.NodeID(state)
}

// eras are those that the farm of a data folder has gone through, the present one last; none for a farm that was never recovered.
func eras(dir string) ([]string, error) {
	text, err := durable.ReadSummed(filepath.Join(dir, eraFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the eras of the farm: %w", err)
	}
	return strings.Fields(string(text)), nil
}

// BeginEra sets the farm of a data folder apart from all nodes that were its members so far.
func BeginEra(dir string) error {
	all, err := eras(dir)
	if err != nil {
		return err
	}
	all = append(all, hex.EncodeToString(randomBytes(8)))
	if err := durable.WriteSummed(filepath.Join(dir, eraFile), []byte(strings.Join(all, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("setting the farm apart from the coordinators that it had: %w", err)
	}
	return nil
}

// outlived tells whether the farm of another node has gone on from this node's era to a later one.
func outlived(own, other []string) bool {
	return len(other) > len(own) && slices.Equal(own, other[:len(own)])
}

// keyChanges is what a change of the key for secrets knows of this coordinator.
type keyChanges struct{ *Coordinator }

var _ library.Cluster = keyChanges{}

// Confirm is an error unless this node leads.
func (c keyChanges) Confirm(ctx context.Context) error { return c.store.Confirm(ctx) }

// ChangeSecretKey has the leader change the key.
func (c keyChanges) ChangeSecretKey(ctx context.Context, in library.NewKey) (library.KeyChange, error) {
	return peers.AskLeader(ctx, c.peers, askSecretKey, in)
}

// TellKeys gives every other member the same keys.
func (c keyChanges) TellKeys(ctx context.Context, keys library.Keys) error {
	members, _, err := c.store.Members()
	if err != nil {
		return err
	}
	names := c.cluster.names()
	for _, m := range members {
		if m.ID == c.store.ID() {
			continue
		}
		if _, err := peers.Ask(ctx, c.peers, m.Address, askTakeKeys, keys); err != nil {
			return farm.Errorf(farm.CodeConflict, "all coordinators change the key for secrets together, and %s does not answer: try again when it is back, or remove it first (overcrank cluster remove %s): %w",
				cmp.Or(names[m.ID], m.ID), m.ID, err)
		}
	}
	return nil
}

// LookAtMembers reads who the members of a data folder's farm are, and how far its log goes. No coordinator may run on it.
func LookAtMembers(dir string) (raftstore.Remains, error) {
	return raftstore.Look(filepath.Join(dir, stateFolder))
}

// Recover makes the coordinator of a data folder the only one of its farm, see raftstore.Recover, in an era of its own. No
// coordinator may run on the folder.
func Recover(_ context.Context, dir string) error {
	if err := checkLeft(dir); err != nil {
		return err
	}
	if err := BeginEra(dir); err != nil { // first: until it is alone it may be heard by nobody
		return err
	}
	return errors.Join(raftstore.Recover(filepath.Join(dir, stateFolder)), durable.KeepOwner(dir))
}
