package bom

import (
	"encoding/binary"
	"fmt"
	"io"
	"path"
)

// store collects the blocks and named variables of a bill.
type store struct {
	blocks [][]byte // block 0 is the empty one
	vars   []variable
}

type variable struct {
	name  string
	block uint32
}

// add keeps a block and returns its number.
func (s *store) add(block []byte) uint32 {
	s.blocks = append(s.blocks, block)
	return uint32(len(s.blocks) - 1)
}

// reserve returns the number of a block whose contents are set later.
func (s *store) reserve() uint32 { return s.add(nil) }

func (s *store) name(name string, block uint32) { s.vars = append(s.vars, variable{name, block}) }

// Write writes the bill of the entries to w. The entries may come in any order; equal entries give equal bytes.
func Write(w io.Writer, entries []Entry) error {
	list, parents, err := sorted(entries)
	if err != nil {
		return err
	}
	s := &store{blocks: [][]byte{nil}}
	info := be(nil, uint32(1), uint32(len(list)+1), uint32(1), uint32(0), uint32(0), uint32(0), uint32(0))
	s.name("BomInfo", s.add(info))
	s.name("Paths", s.paths(list, parents))
	s.name("HLIndex", s.emptyTree(treeBlock))
	s.name("VIndex", s.add(be(nil, uint32(1), s.emptyTree(smallBlock), uint32(0), uint8(0))))
	s.name("Size64", s.emptyTree(smallBlock))
	return s.write(w)
}

// paths adds the tree of paths: leaves of up to leafEntries, and above several leaves an index.
func (s *store) paths(list []Entry, parents []int) uint32 {
	type pair struct{ info, file uint32 }
	pairs := make([]pair, len(list))
	for i, e := range list {
		details := s.add(e.details())
		info := s.add(be(nil, uint32(i+1), details))
		file := s.add(append(be(nil, uint32(parents[i]+1)), append([]byte(path.Base(e.Path)), 0)...))
		pairs[i] = pair{info, file}
	}
	leaves := (len(pairs) + leafEntries - 1) / leafEntries
	numbers := make([]uint32, leaves)
	for i := range numbers {
		numbers[i] = s.reserve()
	}
	var index []byte
	for i, number := range numbers {
		part := pairs[i*leafEntries : min((i+1)*leafEntries, len(pairs))]
		var forward, back uint32
		if i > 0 {
			back = numbers[i-1]
		}
		if i+1 < leaves {
			forward = numbers[i+1]
		}
		leaf := be(nil, uint16(1), uint16(len(part)), forward, back)
		for _, p := range part {
			leaf = be(leaf, p.info, p.file)
		}
		s.blocks[number] = leaf
		index = be(index, number, part[len(part)-1].file)
	}
	child := numbers[0]
	if leaves > 1 {
		child = s.add(append(be(nil, uint16(0), uint16(leaves), uint32(0), uint32(0)), index...))
	}
	return s.tree(child, treeBlock, len(list))
}

func (s *store) tree(child uint32, blockSize, count int) uint32 {
	return s.add(be([]byte(treeMagic), uint32(1), child, uint32(blockSize), uint32(count), uint8(0)))
}

func (s *store) emptyTree(blockSize int) uint32 {
	return s.tree(s.add(be(nil, uint16(1), uint16(0), uint32(0), uint32(0))), blockSize, 0)
}

func (e Entry) details() []byte {
	block := be(nil, uint8(e.Kind), uint8(1), uint16(architecture), e.Mode, e.UID, e.GID, e.ModTime, e.Size, uint8(1), e.Checksum)
	if e.Kind != Symlink {
		return be(block, uint32(0))
	}
	return append(be(block, uint32(len(e.Target)+1)), append([]byte(e.Target), 0)...)
}

// write puts header, variables, blocks and the table of blocks one after the other.
func (s *store) write(w io.Writer) error {
	vars := be(nil, uint32(len(s.vars)))
	for _, v := range s.vars {
		vars = append(be(vars, v.block, uint8(len(v.name))), v.name...)
	}
	at := uint64(headerSize + len(vars))
	var body []byte
	table := be(nil, uint32(len(s.blocks)), uint32(0), uint32(0))
	for _, block := range s.blocks[1:] {
		table = be(table, uint32(at), uint32(len(block)))
		body = append(body, block...)
		at += uint64(len(block))
	}
	table = be(table, uint32(0), uint32(0), uint32(0), uint32(0), uint32(0)) // the free list: none, and two empty pairs
	if at+uint64(len(table)) > 1<<31 {
		return fmt.Errorf("bom: %d blocks are more than the format can hold", len(s.blocks))
	}
	header := be([]byte(storeMagic), uint32(1), uint32(len(s.blocks)-1), uint32(at), uint32(len(table)), uint32(headerSize), uint32(len(vars)))
	for _, part := range [][]byte{append(header, make([]byte, headerSize-len(header))...), vars, body, table} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// be appends numbers of fixed size, big-endian.
func be(to []byte, numbers ...any) []byte {
	for _, n := range numbers {
		switch n := n.(type) {
		case uint8:
			to = append(to, n)
		case uint16:
			to = binary.BigEndian.AppendUint16(to, n)
		case uint32:
			to = binary.BigEndian.AppendUint32(to, n)
		}
	}
	return to
}
