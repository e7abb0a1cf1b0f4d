package boltfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"

	"overcrank/durable"
)

// bbolt has a checksum over the heads of a file and none over its list of free pages. A page that is in the list by mistake would be
// written over though it is in use. So a hash of the list is kept beside the file from its closing to its opening.

// Of bbolt's format, version 2: where in the first two pages the fields of a head are, in the order of the machine's bytes.
const (
	pageHead     = 16 // bytes before the content of a page
	pageOverflow = 12 // how many pages follow that belong to this one, 4 bytes

	headMagic    = 0xED0CDAED
	headPageSize = 8  // 4 bytes
	headFree     = 32 // number of the page of the list, 8 bytes
	headChange   = 48 // number of the change, 8 bytes
	headChecksum = 56 // FNV-1a of all before it, 8 bytes
	headSize     = 64

	noFreeList = ^uint64(0)
)

func freePath(path string) string { return path + ".free" }

// FreeNoted says whether the file at path, which nobody has open, has the list of its free pages. ErrDamaged when that is not what
// MarkFree has seen; where nothing is known of it, it is believed.
func FreeNoted(path string) (noted bool, err error) {
	change, hash, err := freeList(path)
	if err != nil || hash == nil {
		return false, err
	}
	marked, err := os.ReadFile(freePath(path))
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if len(marked) == 16 && binary.BigEndian.Uint64(marked) == change && binary.BigEndian.Uint64(marked[8:]) != *hash {
		return false, fmt.Errorf("%w: its list of free pages is not what was written", ErrDamaged)
	}
	return true, nil
}

// MarkFree keeps a hash of the list of free pages beside a file that was just closed, for FreeNoted.
func MarkFree(path string) error {
	change, hash, err := freeList(path)
	if err != nil || hash == nil {
		return err
	}
	return durable.WriteFile(freePath(path), binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, change), *hash), 0o600)
}

// UnmarkFree forgets the hash, before the file is changed.
func UnmarkFree(path string) error { return os.RemoveAll(freePath(path)) }

// freeList gives the number of the last change of a file, and the hash of its list of free pages, nil where it has none.
func freeList(path string) (change uint64, hash *uint64, err error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var newest []byte
	for _, at := range []int64{0, int64(os.Getpagesize())} {
		head := make([]byte, headSize)
		if _, err := file.ReadAt(head, at+pageHead); err != nil || !wholeHead(head) {
			continue
		}
		if newest == nil || binary.NativeEndian.Uint64(head[headChange:]) > binary.NativeEndian.Uint64(newest[headChange:]) {
			newest = head
		}
	}
	if newest == nil || binary.NativeEndian.Uint64(newest[headFree:]) == noFreeList {
		return 0, nil, nil // without a head bbolt does not open the file
	}
	change = binary.NativeEndian.Uint64(newest[headChange:])
	size := int64(binary.NativeEndian.Uint32(newest[headPageSize:]))
	at := int64(binary.NativeEndian.Uint64(newest[headFree:])) * size
	var head [pageHead]byte
	if _, err := file.ReadAt(head[:], at); err != nil {
		return 0, nil, fmt.Errorf("%w: read the list of its free pages: %w", ErrDamaged, err)
	}
	digest := xxhash.New()
	pages := 1 + int64(binary.NativeEndian.Uint32(head[pageOverflow:]))
	if _, err := io.Copy(digest, io.NewSectionReader(file, at, pages*size)); err != nil {
		return 0, nil, fmt.Errorf("read the list of free pages: %w", err)
	}
	return change, new(digest.Sum64()), nil
}

func wholeHead(head []byte) bool {
	sum := fnv.New64a()
	_, _ = sum.Write(head[:headChecksum]) // which cannot fail
	return binary.NativeEndian.Uint32(head) == headMagic && binary.NativeEndian.Uint64(head[headChecksum:]) == sum.Sum64()
}
