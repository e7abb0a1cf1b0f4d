package transform

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf16"
)

// Sizes and marks of compound files, as [MS-CFB] has them for version 3.
const (
	sectorSize     = 512
	miniSectorSize = 64
	miniCutoff     = 4096 // streams below it lie in the mini stream
	entrySize      = 128
	headerFAT      = 109 // sectors of the allocation table that the header names

	freeSector = 0xffffffff
	endOfChain = 0xfffffffe
	fatSector  = 0xfffffffd
	noStream   = 0xffffffff

	typeStream = 2
	typeRoot   = 5
	black      = 1
)

// stream is one of a compound file, of less than miniCutoff bytes.
type stream struct {
	name string
	data []byte
}

// compoundFile writes a compound file of small streams whose root has a class.
func compoundFile(class [16]byte, streams []stream) []byte {
	streams = slices.Clone(streams)
	slices.SortFunc(streams, compareNames)

	var mini []byte
	var miniFAT []uint32
	starts := make([]uint32, len(streams))
	for i, s := range streams {
		starts[i] = uint32(len(miniFAT))
		mini = append(mini, padded(s.data, miniSectorSize)...)
		miniFAT = appendChain(miniFAT, len(padded(s.data, miniSectorSize))/miniSectorSize)
	}

	directory := entry("Root Entry", typeRoot, noStream, noStream, middle(0, len(streams)), class, 0, len(mini))
	for i, s := range streams {
		left, right := children(0, len(streams), i)
		directory = append(directory, entry(s.name, typeStream, left, right, noStream, [16]byte{}, starts[i], len(s.data))...)
	}
	for len(directory)%sectorSize != 0 {
		directory = append(directory, entry("", 0, noStream, noStream, noStream, [16]byte{}, 0, 0)...)
	}

	// The file's sectors: directory, mini stream, its allocation table, and at last the allocation table of all of these.
	parts := [][]byte{directory, padded(mini, sectorSize), table(miniFAT)}
	var fat []uint32
	var first [3]uint32
	for i, part := range parts {
		first[i] = uint32(len(fat))
		fat = appendChain(fat, len(part)/sectorSize)
	}
	binary.LittleEndian.PutUint32(parts[0][116:], first[1]) // where the root's own stream, the mini stream, begins
	const perSector = sectorSize / 4
	tables := 1
	for len(fat)+tables > tables*perSector {
		tables++
	}
	firstTable := len(fat)
	for range tables {
		fat = append(fat, fatSector)
	}

	var b bytes.Buffer
	b.Write([]byte{0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1})
	b.Write(make([]byte, 16))
	little(&b, uint16(0x3e), uint16(3), uint16(0xfffe), uint16(9), uint16(6)) // minor and major version, byte order, sizes of sectors as powers of two
	b.Write(make([]byte, 10))
	little(&b, uint32(tables), first[0], uint32(0), uint32(miniCutoff), first[2], uint32(len(parts[2])/sectorSize), uint32(endOfChain), uint32(0))
	for i := range headerFAT {
		if i < tables {
			little(&b, uint32(firstTable+i))
		} else {
			little(&b, uint32(freeSector))
		}
	}
	for _, part := range parts {
		b.Write(part)
	}
	b.Write(table(fat))
	return b.Bytes()
}

// compareNames orders streams as directories have them: shorter names first, then by their letters in capitals.
func compareNames(a, b stream) int {
	x, y := utf16.Encode([]rune(a.name)), utf16.Encode([]rune(b.name))
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	upper := func(c uint16) uint16 {
		if 'a' <= c && c <= 'z' {
			return c - 'a' + 'A'
		}
		return c
	}
	return slices.CompareFunc(x, y, func(a, b uint16) int { return int(upper(a)) - int(upper(b)) })
}

// middle is the entry at the top of the tree of the streams from to before end. Entry 0 is the root's.
func middle(from, end int) uint32 {
	if from >= end {
		return noStream
	}
	return uint32((from+end)/2 + 1)
}

// children finds the entries below that of a stream, in the tree of the streams from to before end.
func children(from, end, of int) (left, right uint32) {
	for {
		at := (from + end) / 2
		switch {
		case of < at:
			end = at
		case of > at:
			from = at + 1
		default:
			return middle(from, at), middle(at+1, end)
		}
	}
}

// entry is one of the directory.
func entry(name string, kind byte, left, right, child uint32, class [16]byte, start uint32, size int) []byte {
	var b bytes.Buffer
	text := utf16.Encode([]rune(name))
	for i := range 32 {
		if i < len(text) {
			little(&b, text[i])
		} else {
			little(&b, uint16(0))
		}
	}
	length := uint16(0)
	if name != "" {
		length = uint16(2 * (len(text) + 1))
	}
	little(&b, length)
	b.Write([]byte{kind, black})
	little(&b, left, right, child)
	b.Write(class[:])
	b.Write(make([]byte, 4+8+8)) // state, times
	little(&b, start, uint64(size))
	return b.Bytes()
}

// appendChain adds so many sectors, each of which leads to the next.
func appendChain(fat []uint32, sectors int) []uint32 {
	for i := range sectors {
		if i == sectors-1 {
			return append(fat, endOfChain)
		}
		fat = append(fat, uint32(len(fat)+1))
	}
	return fat
}

// table is an allocation table in whole sectors.
func table(fat []uint32) []byte {
	var b bytes.Buffer
	for _, next := range fat {
		little(&b, next)
	}
	for b.Len()%sectorSize != 0 {
		little(&b, uint32(freeSector))
	}
	return b.Bytes()
}

func padded(data []byte, to int) []byte {
	if over := len(data) % to; over != 0 || len(data) == 0 {
		return append(slices.Clone(data), make([]byte, to-over)...)
	}
	return data
}

func little(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.LittleEndian, v) // numbers, into memory
	}
}
