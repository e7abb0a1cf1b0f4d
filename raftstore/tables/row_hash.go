package tables

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// rowPrint is a hash over the rows that one entry writes, in the order in which its rule writes them. Two nodes that come to
// different rows from the same entry have different ones, whatever made them differ.
type rowPrint struct{ digest *xxhash.Digest }

func newRowPrint() *rowPrint { return &rowPrint{xxhash.New()} }

// begin forgets the rows of the entry before.
func (p *rowPrint) begin() { p.digest.Reset() }

// The first byte of what is hashed of a row.
const (
	rowPut     = 'p'
	rowDeleted = 'd'
	// Rows that are written once for the whole batch: a counter, and a sum of a day.
	rowCounted  = 'c'
	rowSummedUp = 's'
)

func (p *rowPrint) put(bucket []byte, key string, value []byte) {
	p.head(rowPut, bucket, key, len(value))
	_, _ = p.digest.Write(value) // it cannot fail
}

func (p *rowPrint) deleted(bucket []byte, key string) { p.head(rowDeleted, bucket, key, 0) }

func (p *rowPrint) counted(key string, n int) { p.head(rowCounted, bucketCounts, key, n) }

func (p *rowPrint) summedUp(key string, sum *farm.Sum) {
	p.head(rowSummedUp, bucketSums, key, len(sum.Rated))
	var room [64]byte
	numbers := room[:0]
	for _, n := range [...]int64{int64(sum.Jobs), int64(sum.Attempts), int64(sum.Done), int64(sum.Failed), sum.Time, sum.Wasted} {
		numbers = binary.AppendVarint(numbers, n)
	}
	_, _ = p.digest.Write(numbers)
	if len(sum.Rated) == 0 {
		return // as most are, which need no list of their tags
	}
	for _, tag := range slices.Sorted(maps.Keys(sum.Rated)) {
		p.head(rowSummedUp, bucketSums, tag, int(sum.Rated[tag]))
	}
}

// head hashes what a row begins with. The lengths keep one row from reading as another.
func (p *rowPrint) head(kind byte, bucket []byte, key string, n int) {
	var room [32]byte
	head := append(room[:0], kind, byte(len(bucket)))
	head = binary.AppendUvarint(head, uint64(len(key)))
	head = binary.AppendUvarint(head, uint64(n))
	_, _ = p.digest.Write(head)
	_, _ = p.digest.Write(bucket)
	_, _ = p.digest.WriteString(key)
}

// sum is the hash over the rows since begin.
func (p *rowPrint) sum() (hash [8]byte) {
	binary.BigEndian.PutUint64(hash[:], p.digest.Sum64())
	return hash
}

// chain is the fingerprint of the state after one more entry, of which print is what distinguishes it: the hash of the rows that it
// wrote from checkedLevel on, and the command itself below that, as programs have it which know no other.
func chain(fingerprint, print []byte) []byte {
	hash := sha256.New()
	hash.Write(fingerprint)
	hash.Write(print)
	return hash.Sum(nil)
}

// after is the fingerprint after an entry whose rule has been applied.
func (t *tables) after(fingerprint, entry []byte) []byte {
	if t.since(command.CheckedLevel) {
		sum := t.print.sum()
		return chain(fingerprint, sum[:])
	}
	return chain(fingerprint, entry)
}
