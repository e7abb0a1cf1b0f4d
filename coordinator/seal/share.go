package seal

import (
	"errors"
	"slices"
	"strings"
)

// FirstSize is the length of Begin's secret, in bytes.
const FirstSize = idSize + keySize

// Begin makes the first key of an empty ring from a secret. Nodes with the same secret get the same key.
func (r *Ring) Begin(secret []byte) error {
	if len(secret) != FirstSize {
		return errors.New("the secret has the wrong length")
	}
	k, err := keyOf(secret)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) > 0 {
		return nil
	}
	return r.keep([]key{k})
}

// Keys returns the keys for Take, newest last. They are secret.
func (r *Ring) Keys() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return lines(r.keys)
}

// NewKey creates a key for Take, and its id.
func NewKey() (made, id string, err error) {
	k, err := newKey()
	return k.id + " " + k.digits, k.id, err
}

// Take adds another node's keys, and seals with the last of them. Keys that only this node has remain, as older ones.
func (r *Ring) Take(keys []string) error {
	var taken []key
	for _, line := range keys {
		k, err := parseKey(strings.TrimSpace(line))
		if err != nil {
			return errors.New("another node sent a malformed key")
		}
		taken = append(taken, k)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(r.keys), func(own key) bool {
		return slices.ContainsFunc(taken, func(k key) bool { return k.id == own.id })
	})
	all = append(all, taken...)
	if len(taken) == 0 || slices.Equal(lines(all), lines(r.keys)) {
		return nil
	}
	return r.keep(all)
}

func lines(keys []key) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.id + " " + k.digits
	}
	return out
}
