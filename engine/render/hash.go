package render

import (
	"hash/maphash"
	"math"
)

var seed = maphash.MakeSeed()

// hash identifies values within this process.
type hash struct{ maphash.Hash }

func newHash() *hash {
	h := &hash{}
	h.SetSeed(seed)
	return h
}

func (h *hash) add(values ...float64) {
	for _, v := range values {
		h.word(math.Float64bits(v))
	}
}

func (h *hash) word(v uint64) {
	var b [8]byte
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	h.Write(b[:])
}
