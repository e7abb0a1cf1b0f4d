package seal

import (
	"errors"
	"slices"
	"strings"
)

// FirstSize is how many secret bytes Begin takes.
const FirstSize = idSize + keySize

// Begin makes the first key of a ring that has none, out of secret bytes: nodes that were given the same ones have the same key.
func (r *Ring) Begin(secret []byte) error {
	if len(secret) != FirstSize {
		return errors.New("a key is made of another number of bytes")
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

// Keys is the keys as Take takes them, newest last. They are secret.
func (r *Ring) Keys() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return lines(r.keys)
}

// NewKey makes a key as Take takes it, and its id.
func NewKey() (made, id string, err error) {
	k, err := newKey()
	return k.id + " " + k.digits, k.id, err
}

// Take adds another node's keys, and lets the last of them seal. Keys that only this node has stay, as older ones.
func (r *Ring) Take(keys []string) error {
	var taken []key
	for _, line := range keys {
		k, err := parseKey(strings.TrimSpace(line))
		if err != nil {
			return errors.New("a key that another node gave is damaged")
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
