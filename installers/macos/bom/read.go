package bom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"strings"
)

// Bounds of what is read: the largest bill of a package that Apple publishes has some hundred thousand paths.
const (
	maxPaths = 1 << 20
	maxDepth = 8   // of index nodes above the leaves
	maxNest  = 256 // folders within folders
)

// Read reads the paths of a bill, in the order in which it has them.
func Read(data []byte) ([]Entry, error) {
	r := &reader{data: data}
	if err := r.open(); err != nil {
		return nil, err
	}
	tree, err := r.variable("Paths")
	if err != nil {
		return nil, err
	}
	if len(tree) < 21 || string(tree[:4]) != treeMagic {
		return nil, fmt.Errorf("%w: its paths are no tree", ErrFormat)
	}
	leaf, err := r.firstLeaf(binary.BigEndian.Uint32(tree[8:]))
	if err != nil {
		return nil, err
	}
	records, err := r.records(leaf)
	if err != nil {
		return nil, err
	}
	if want := binary.BigEndian.Uint32(tree[16:]); uint32(len(records)) != want {
		return nil, fmt.Errorf("%w: %d paths where it says %d", ErrFormat, len(records), want)
	}
	return entries(records)
}

type reader struct {
	data   []byte
	blocks [][2]uint32 // address and length
	vars   map[string]uint32
}

// record is a path as the bill has it: its name in its folder.
type record struct {
	id, parent uint32
	name       string
	entry      Entry
}

func (r *reader) part(at, length uint32, what string) ([]byte, error) {
	if uint64(at)+uint64(length) > uint64(len(r.data)) {
		return nil, fmt.Errorf("%w: %s lies outside the file", ErrFormat, what)
	}
	return r.data[at : at+length], nil
}

func (r *reader) open() error {
	header, err := r.part(0, 32, "the header")
	if err != nil {
		return err
	}
	if string(header[:8]) != storeMagic || binary.BigEndian.Uint32(header[8:]) != 1 {
		return fmt.Errorf("%w: it begins with %q", ErrFormat, header[:12])
	}
	number := func(i int) uint32 { return binary.BigEndian.Uint32(header[i:]) }
	table, err := r.part(number(16), number(20), "the table of blocks")
	if err != nil {
		return err
	}
	vars, err := r.part(number(24), number(28), "the list of variables")
	if err != nil {
		return err
	}
	if len(table) < 4 || uint64(len(table)) < 4+8*uint64(binary.BigEndian.Uint32(table)) {
		return fmt.Errorf("%w: its table of blocks is cut short", ErrFormat)
	}
	for i := range int(binary.BigEndian.Uint32(table)) {
		pair := table[4+8*i:]
		r.blocks = append(r.blocks, [2]uint32{binary.BigEndian.Uint32(pair), binary.BigEndian.Uint32(pair[4:])})
	}
	return r.readVariables(vars)
}

func (r *reader) readVariables(vars []byte) error {
	if len(vars) < 4 {
		return fmt.Errorf("%w: its list of variables is cut short", ErrFormat)
	}
	count, rest := binary.BigEndian.Uint32(vars), vars[4:]
	r.vars = map[string]uint32{}
	for range count {
		if len(rest) < 5 || len(rest) < 5+int(rest[4]) {
			return fmt.Errorf("%w: its list of variables is cut short", ErrFormat)
		}
		end := 5 + int(rest[4])
		r.vars[string(rest[5:end])] = binary.BigEndian.Uint32(rest)
		rest = rest[end:]
	}
	return nil
}

func (r *reader) block(number uint32, least int) ([]byte, error) {
	if number == 0 || uint64(number) >= uint64(len(r.blocks)) {
		return nil, fmt.Errorf("%w: there is no block %d", ErrFormat, number)
	}
	b, err := r.part(r.blocks[number][0], r.blocks[number][1], "a block")
	if err == nil && len(b) < least {
		return nil, fmt.Errorf("%w: block %d is too short", ErrFormat, number)
	}
	return b, err
}

func (r *reader) variable(name string) ([]byte, error) {
	number, there := r.vars[name]
	if !there {
		return nil, fmt.Errorf("%w: it has no %s", ErrFormat, name)
	}
	return r.block(number, 0)
}

// firstLeaf goes down from a node to the leaf with the first paths.
func (r *reader) firstLeaf(number uint32) (uint32, error) {
	for range maxDepth {
		node, err := r.block(number, 12)
		if err != nil {
			return 0, err
		}
		if binary.BigEndian.Uint16(node) == 1 {
			return number, nil
		}
		if binary.BigEndian.Uint16(node[2:]) == 0 || len(node) < 20 {
			return 0, fmt.Errorf("%w: an index without leaves", ErrFormat)
		}
		number = binary.BigEndian.Uint32(node[12:])
	}
	return 0, fmt.Errorf("%w: its tree is deeper than %d", ErrFormat, maxDepth)
}

// records reads one leaf after the other.
func (r *reader) records(number uint32) ([]record, error) {
	var out []record
	for leaves := 0; number != 0; leaves++ {
		leaf, err := r.block(number, 12)
		if err != nil {
			return nil, err
		}
		count := int(binary.BigEndian.Uint16(leaf[2:]))
		if binary.BigEndian.Uint16(leaf) != 1 || len(leaf) < 12+8*count {
			return nil, fmt.Errorf("%w: block %d is not a leaf", ErrFormat, number)
		}
		if leaves > len(r.blocks) || len(out)+count > maxPaths {
			return nil, fmt.Errorf("%w: its leaves do not end", ErrFormat)
		}
		for i := range count {
			pair := leaf[12+8*i:]
			rec, err := r.record(binary.BigEndian.Uint32(pair), binary.BigEndian.Uint32(pair[4:]))
			if err != nil {
				return nil, err
			}
			out = append(out, rec)
		}
		number = binary.BigEndian.Uint32(leaf[4:])
	}
	return out, nil
}

func (r *reader) record(infoBlock, fileBlock uint32) (record, error) {
	info, err := r.block(infoBlock, 8)
	if err != nil {
		return record{}, err
	}
	file, err := r.block(fileBlock, 5)
	if err != nil {
		return record{}, err
	}
	d, err := r.block(binary.BigEndian.Uint32(info[4:]), 31)
	if err != nil {
		return record{}, err
	}
	name, ended := bytes.CutSuffix(file[4:], []byte{0})
	if !ended || len(name) == 0 || bytes.ContainsAny(name, "\x00/") || string(name) == ".." {
		return record{}, fmt.Errorf("%w: the name %q", ErrFormat, file[4:])
	}
	e := Entry{
		Kind: Kind(d[0]), Mode: binary.BigEndian.Uint16(d[4:]), UID: binary.BigEndian.Uint32(d[6:]), GID: binary.BigEndian.Uint32(d[10:]),
		ModTime: binary.BigEndian.Uint32(d[14:]), Size: binary.BigEndian.Uint32(d[18:]), Checksum: binary.BigEndian.Uint32(d[23:]),
	}
	switch length := binary.BigEndian.Uint32(d[27:]); {
	case e.Kind < File || e.Kind > Symlink:
		return record{}, fmt.Errorf("%w: %s is of kind %d", ErrFormat, name, e.Kind)
	case e.Kind == Symlink:
		if uint64(len(d)) < 31+uint64(length) || length == 0 || d[31+length-1] != 0 {
			return record{}, fmt.Errorf("%w: the target of %s is cut short", ErrFormat, name)
		}
		e.Target = string(d[31 : 31+length-1])
	}
	return record{id: binary.BigEndian.Uint32(info), parent: binary.BigEndian.Uint32(file), name: string(name), entry: e}, nil
}

// entries gives the paths of records, whose folders may come after them.
func entries(records []record) ([]Entry, error) {
	byID := make(map[uint32]record, len(records))
	for _, rec := range records {
		if _, twice := byID[rec.id]; twice || rec.id == 0 {
			return nil, fmt.Errorf("%w: the id %d is there twice", ErrFormat, rec.id)
		}
		byID[rec.id] = rec
	}
	out := make([]Entry, len(records))
	for i, rec := range records {
		names := []string{rec.name}
		for at := rec; at.parent != 0; {
			folder, there := byID[at.parent]
			if !there || len(names) > maxNest {
				return nil, fmt.Errorf("%w: %s is in no folder", ErrFormat, rec.name)
			}
			names = append(names, folder.name)
			at = folder
		}
		full := names[len(names)-1]
		for j := len(names) - 2; j >= 0; j-- {
			full = path.Join(full, names[j])
		}
		out[i] = rec.entry
		out[i].Path = strings.TrimPrefix(full, "./")
	}
	return out, nil
}
