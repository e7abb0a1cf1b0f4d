// Package bom writes and reads bills of materials ("Bom", magic BOMStore): the list of files that macOS's Installer compares with a
// package's payload and keeps as the receipt of what it installed. Apple has published no description of the format; DESIGN.md beside
// the package says where this one comes from.
package bom

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// Kind is what a path of the bill is.
type Kind uint8

// Kinds, with the numbers that the format gives them.
const (
	File      Kind = 1
	Directory Kind = 2
	Symlink   Kind = 3
)

// ErrFormat is wrapped by every error about a bill that is not one, is cut short, or lies about itself.
var ErrFormat = errors.New("not a valid bill of materials")

// Entry is one path of a bill.
type Entry struct {
	Path     string // slash-separated, relative; "." is the top folder
	Kind     Kind
	Mode     uint16 // type and permissions, as in stat(2)
	UID      uint32
	GID      uint32
	ModTime  uint32 // seconds since 1970
	Size     uint32 // bytes; of a symbolic link the length of its target
	Checksum uint32 // of a file's contents or a link's target, see Checksum
	Target   string // of a symbolic link
}

// Checksum is the CRC that a bill has of a file's contents: that of cksum(1) in POSIX.1-2008.
func Checksum(r io.Reader) (uint32, error) {
	var crc uint32
	var length uint64
	buffer := make([]byte, 64<<10)
	for {
		n, err := r.Read(buffer)
		for _, b := range buffer[:n] {
			crc = crc<<8 ^ table[byte(crc>>24)^b]
		}
		length += uint64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	for ; length > 0; length >>= 8 {
		crc = crc<<8 ^ table[byte(crc>>24)^byte(length)]
	}
	return ^crc, nil
}

// table is that of the polynomial 0x04C11DB7, most significant bit first.
var table = func() (t [256]uint32) {
	for i := range t {
		crc := uint32(i) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04C11DB7
			} else {
				crc <<= 1
			}
		}
		t[i] = crc
	}
	return t
}()

// Header of the store and blocks: all numbers are big-endian.
const (
	storeMagic   = "BOMStore"
	treeMagic    = "tree"
	headerSize   = 512
	leafEntries  = 256  // paths of one leaf
	treeBlock    = 4096 // what a tree of paths says its blocks are
	smallBlock   = 128  // the same of the trees that we leave empty
	architecture = 3    // what Apple's tool writes for every path
)

// sorted returns the entries folder by folder, breadth first, each folder's by name, as the ids of a bill are given; with the index of
// each entry's folder, -1 for the top.
func sorted(entries []Entry) ([]Entry, []int, error) {
	children := map[string][]Entry{}
	var top []Entry
	for _, e := range entries {
		if e.Path != path.Clean(e.Path) || path.IsAbs(e.Path) || e.Path == ".." || strings.HasPrefix(e.Path, "../") {
			return nil, nil, fmt.Errorf("bom: %q is not a relative, clean path", e.Path)
		}
		if strings.ContainsRune(e.Path, 0) || strings.ContainsRune(e.Target, 0) {
			return nil, nil, fmt.Errorf("bom: a NUL in %q", e.Path)
		}
		if e.Path == "." {
			top = append(top, e)
			continue
		}
		children[path.Dir(e.Path)] = append(children[path.Dir(e.Path)], e)
	}
	if len(top) != 1 || top[0].Kind != Directory {
		return nil, nil, errors.New("bom: there must be one top folder \".\"")
	}
	out, parents := top, []int{-1}
	for at := 0; at < len(out); at++ {
		folder := out[at]
		list := children[folder.Path]
		if len(list) > 0 && folder.Kind != Directory {
			return nil, nil, fmt.Errorf("bom: %s has files in it but is not a folder", folder.Path)
		}
		slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
		for i, e := range list {
			if i > 0 && list[i-1].Path == e.Path {
				return nil, nil, fmt.Errorf("bom: %s is there twice", e.Path)
			}
			out, parents = append(out, e), append(parents, at)
		}
	}
	if len(out) != len(entries) {
		return nil, nil, fmt.Errorf("bom: %d paths are in folders that are not in the bill", len(entries)-len(out))
	}
	return out, parents, nil
}
