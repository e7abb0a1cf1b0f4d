package search

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// A set is which records of one segment have a word: a bit for each of its places.
type set [segmentSize / 64]uint64

const (
	segmentBits = 12
	segmentSize = 1 << segmentBits // records of a segment
	mapBytes    = segmentSize / 8  // of a set that is written as a map of bits
)

func (s *set) put(place uint16) { s[place>>6] |= 1 << (place & 63) }

func (s *set) has(place uint16) bool { return s[place>>6]&(1<<(place&63)) != 0 }

func (s *set) and(o *set) {
	for i := range s {
		s[i] &= o[i]
	}
}

func (s *set) empty() bool { return *s == set{} }

func (s *set) size() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// down gives the places from the highest to the lowest.
func (s *set) down(yield func(uint16) bool) {
	for i := len(s) - 1; i >= 0; i-- {
		for w := s[i]; w != 0; {
			high := 63 - bits.LeadingZeros64(w)
			if !yield(uint16(i<<6 + high)) {
				return
			}
			w &^= 1 << high
		}
	}
}

// places gives the places in their order, or from the highest to the lowest.
func (s *set) places(up bool) iter.Seq[uint16] {
	if !up {
		return s.down
	}
	return func(yield func(uint16) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(uint16(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// encode writes a set as the list of its places, two bytes each, or as a map of bits where that is no longer. The length tells them apart.
func (s *set) encode() []byte {
	if n := s.size(); 2*n < mapBytes {
		list := make([]byte, 0, 2*n)
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				list = binary.BigEndian.AppendUint16(list, uint16(i<<6+bits.TrailingZeros64(w)))
			}
		}
		return list
	}
	list := make([]byte, 0, mapBytes)
	for _, w := range s {
		list = binary.BigEndian.AppendUint64(list, w)
	}
	return list
}

// add brings what encode wrote into a set.
func (s *set) add(list []byte) {
	if len(list) == mapBytes {
		for i := range s {
			s[i] |= binary.BigEndian.Uint64(list[8*i:])
		}
		return
	}
	for ; len(list) >= 2; list = list[2:] {
		s.put(binary.BigEndian.Uint16(list) & (segmentSize - 1))
	}
}
