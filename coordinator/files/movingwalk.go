package files

import (
	"context"
	"slices"
	"strings"
)

// List implements Store.
func (m *Moving) List(ctx context.Context, key string, fn func(Object) error) error {
	return m.merge(func(s Store, fn func(Object) error) error { return s.List(ctx, key, fn) }, fn)
}

// Walk implements Store. It skips empty folders of the folder that files are moved from.
func (m *Moving) Walk(ctx context.Context, key string, fn func(Object) error) error {
	return m.merge(func(s Store, fn func(Object) error) error {
		return s.Walk(ctx, key, func(o Object) error {
			if s == m.old && Check(o.Key) != nil { // an empty folder, or not a file of the farm
				return nil
			}
			return fn(o)
		})
	}, fn)
}

// merge calls fn once for each key that either list has, in key order. It reads the folder first, so that it misses nothing that is moved
// meanwhile.
func (m *Moving) merge(list func(Store, func(Object) error) error, fn func(Object) error) error {
	if m.moved.Load() {
		return list(m.Shared, fn)
	}
	var here []Object
	err := list(m.old, func(o Object) error {
		here = append(here, o)
		return nil
	})
	if err != nil {
		return err
	}
	byKey := func(o Object, key string) int { return strings.Compare(o.Key, key) }
	slices.SortFunc(here, func(a, b Object) int { return byKey(a, b.Key) })
	next := 0
	upTo := func(end func(key string) bool) error {
		for next < len(here) && end(here[next].Key) {
			next++
			if err := fn(here[next-1]); err != nil {
				return err
			}
		}
		return nil
	}
	err = list(m.Shared, func(o Object) error {
		if err := upTo(func(key string) bool { return key < o.Key }); err != nil {
			return err
		}
		i, found := slices.BinarySearchFunc(here, o.Key, byKey)
		if found || strings.HasSuffix(o.Key, "/") && i < len(here) && strings.HasPrefix(here[i].Key, o.Key) {
			return nil
		}
		return fn(o)
	})
	if err != nil {
		return err
	}
	return upTo(func(string) bool { return true })
}
