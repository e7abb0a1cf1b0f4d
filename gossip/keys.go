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

// Fingerprint names a key without telling anything of it that would help to guess it: 16 hexadecimal digits of its SHA-256.
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
		return nil, fmt.Errorf("taking the keys of gossip: %w", err)
	}
	return ring, nil
}

func checkKeys(keys [][]byte) error {
	if len(keys) == 0 {
		return errors.New("gossip needs a key")
	}
	for _, key := range keys {
		if len(key) != KeySize {
			return fmt.Errorf("a key of gossip has %d bytes, %d are wanted", len(key), KeySize)
		}
	}
	return nil
}

// SetKeys goes on with other keys: the first one is written with, all are read with. Members that are known stay known.
func (p *Pool) SetKeys(keys [][]byte) error {
	if err := checkKeys(keys); err != nil {
		return err
	}
	// The one to write with can be neither used before it is there nor removed while it is used.
	for _, key := range keys {
		if err := p.ring.AddKey(key); err != nil {
			return fmt.Errorf("taking a key of gossip: %w", err)
		}
	}
	if err := p.ring.UseKey(keys[0]); err != nil {
		return fmt.Errorf("turning to a key of gossip: %w", err)
	}
	for _, key := range p.ring.GetKeys() {
		if slices.ContainsFunc(keys, func(wanted []byte) bool { return bytes.Equal(wanted, key) }) {
			continue
		}
		if err := p.ring.RemoveKey(key); err != nil {
			return fmt.Errorf("dropping a key of gossip: %w", err)
		}
	}
	p.callNow() // those that could not be understood may be by now
	return nil
}

// Call makes these the members to call when they are not there.
func (p *Pool) Call(seeds []string) {
	p.mu.Lock()
	p.seeds = slices.Clone(seeds)
	p.mu.Unlock()
	p.callNow()
}

// callNow has the missing ones called without waiting for the next round.
func (p *Pool) callNow() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Seeds are addresses that a new member can call: this one and the coordinators that it knows.
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
