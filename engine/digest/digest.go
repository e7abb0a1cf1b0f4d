// Package digest hashes values, however they are built, so that what is added to a project's structures one day is part of the hash without
// anybody having to think of it.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"math"
	"reflect"
	"slices"
)

// Sum is the SHA-256 of what was added.
type Sum = [sha256.Size]byte

// collected is how many bytes are collected before they are hashed: most values have eight.
const collected = 4 << 10

// Digest hashes what is added to it, in that order.
type Digest struct {
	sum hash.Hash
	buf []byte
}

// New is an empty digest.
func New() *Digest { return &Digest{sum: sha256.New(), buf: make([]byte, 0, collected)} }

// Of is the digest of these values.
func Of(values ...any) Sum {
	d := New()
	d.Add(values...)
	return d.Sum()
}

// Sum is the digest so far.
func (d *Digest) Sum() (out Sum) {
	d.flush()
	d.sum.Sum(out[:0])
	return out
}

func (d *Digest) flush() {
	_, _ = d.sum.Write(d.buf) // a hash returns no error
	d.buf = d.buf[:0]
}

// Write adds bytes as they are, without their number. It never fails.
func (d *Digest) Write(p []byte) (int, error) {
	if len(d.buf)+len(p) > collected {
		d.flush()
	}
	if len(p) > collected {
		return d.sum.Write(p)
	}
	d.buf = append(d.buf, p...)
	return len(p), nil
}

// Add adds values with their kinds: what pointers point to, all fields of structures, and maps whatever the order of their keys. The values must
// be trees, or it does not end.
func (d *Digest) Add(values ...any) {
	for _, v := range values {
		d.value(reflect.ValueOf(v))
	}
}

func (d *Digest) word(v uint64) {
	if len(d.buf)+8 > collected {
		d.flush()
	}
	d.buf = binary.LittleEndian.AppendUint64(d.buf, v)
}

func (d *Digest) text(s string) {
	d.word(uint64(len(s)))
	_, _ = d.Write([]byte(s))
}

func (d *Digest) value(v reflect.Value) {
	d.word(uint64(v.Kind()))
	switch v.Kind() {
	case reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		d.word(n)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d.word(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d.word(v.Uint())
	case reflect.Float32, reflect.Float64:
		d.word(math.Float64bits(v.Float()))
	case reflect.String:
		d.text(v.String())
	case reflect.Slice, reflect.Array:
		d.list(v)
	case reflect.Struct:
		for i := range v.NumField() {
			d.value(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			d.value(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			d.text(v.Elem().Type().String())
			d.value(v.Elem())
		}
	case reflect.Map:
		d.sorted(v)
	}
}

func (d *Digest) list(v reflect.Value) {
	d.word(uint64(v.Len()))
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		_, _ = d.Write(v.Bytes())
		return
	}
	for i := range v.Len() {
		d.value(v.Index(i))
	}
}

// sorted adds a map, whatever the order of its keys.
func (d *Digest) sorted(v reflect.Value) {
	entries := make(map[Sum]struct{}, v.Len())
	for each := v.MapRange(); each.Next(); {
		e := New()
		e.value(each.Key())
		e.value(each.Value())
		entries[e.Sum()] = struct{}{}
	}
	list := slices.SortedFunc(maps.Keys(entries), func(a, b Sum) int { return slices.Compare(a[:], b[:]) })
	d.Add(list)
}
