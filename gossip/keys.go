package gossip

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/memberlist"

	"overcrank/farm/wire"
)

// KeySize is the size of a key, in bytes: AES-256.
const KeySize = 32

// Fingerprint identifies a key without revealing it: the first 16 hexadecimal digits of its SHA-256.
func Fingerprint(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8])
}

func keyring(keys [][]byte) (*memberlist.Keyring, error) {
	if err := checkKeys(keys); err != nil {
		return nil, err
	}
	ring, err := memberlist.NewKeyring(slices.Clone(keys), keys[0])
	if err != nil {
		return nil, fmt.Errorf("set up the gossip keys: %w", err)
	}
	return ring, nil
}

func checkKeys(keys [][]byte) error {
	if len(keys) == 0 {
		return errors.New("gossip needs a key")
	}
	for _, key := range keys {
		if len(key) != KeySize {
			return fmt.Errorf("a gossip key has %d bytes instead of %d", len(key), KeySize)
		}
	}
	return nil
}

// SetKeys replaces the keys: the first encrypts, all decrypt. Known members stay known.
func (p *Pool) SetKeys(keys [][]byte) error {
	if err := checkKeys(keys); err != nil {
		return err
	}
	// The ring allows neither to use a key before it is added nor to remove the one in use.
	for _, key := range keys {
		if err := p.ring.AddKey(key); err != nil {
			return fmt.Errorf("add a gossip key: %w", err)
		}
	}
	if err := p.ring.UseKey(keys[0]); err != nil {
		return fmt.Errorf("use a gossip key: %w", err)
	}
	for _, key := range p.ring.GetKeys() {
		if slices.ContainsFunc(keys, func(wanted []byte) bool { return bytes.Equal(wanted, key) }) {
			continue
		}
		if err := p.ring.RemoveKey(key); err != nil {
			return fmt.Errorf("remove a gossip key: %w", err)
		}
	}
	p.reconnect() // members that had another key may be reachable now
	return nil
}

// SetSeeds replaces the addresses of members to connect to.
func (p *Pool) SetSeeds(seeds []string) {
	p.mu.Lock()
	p.seeds = slices.Clone(seeds)
	p.mu.Unlock()
	p.reconnect()
}

// reconnect makes rejoin try the missing members at once.
func (p *Pool) reconnect() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Seeds are addresses for a new member to connect to: that of this member and those of the coordinators that are alive.
func (p *Pool) Seeds() []string {
	seeds := []string{p.address}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.alive {
		if m.node.Role == wire.RoleCoordinator {
			seeds = append(seeds, m.address)
		}
	}
	slices.Sort(seeds[1:])
	return seeds
}
