package seglog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/hashicorp/raft"
)

// A segment is a file that begins with a header: magic (8 bytes), flags (4), salt (4), index of its first entry (8), checksum
// of these (4). Groups follow, one for each append. Behind the last there may be zeros.
//
// A group is: magic (4), checksum of the rest of its header, begun with the salt (4), size of its body in bytes (4), how many
// entries it has (4), index of the first (8); and as its body each entry with its size (4) before it. Numbers are big-endian.
//
// A group is synced before the next one is written. So what lies behind the last whole group was never acknowledged, unless a
// whole group lies behind that again: then something that was on the disk has been damaged. The salt keeps those who submit
// jobs from writing what would be taken for a group.
const (
	segmentMagic = "OVCRLOG1"
	groupMagic   = "\x8bGRP"

	segmentHeader = 8 + 4 + 4 + 8 + 4
	groupHeader   = 4 + 4 + 4 + 4 + 8

	// flagAnew says that what the segments before hold is no part of the log any more.
	flagAnew = 1
)

// errHeader is that a segment's header is not whole.
var errHeader = errors.New("its header is damaged")

// header is what the header of a segment says.
type header struct {
	anew  bool
	salt  uint32
	first uint64
}

func (h header) append(b []byte) []byte {
	start, flags := len(b), uint32(0)
	if h.anew {
		flags = flagAnew
	}
	b = append(b, segmentMagic...)
	b = binary.BigEndian.AppendUint32(b, flags)
	b = binary.BigEndian.AppendUint32(b, h.salt)
	b = binary.BigEndian.AppendUint64(b, h.first)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli()))
}

func readHeader(content []byte) (header, error) {
	if len(content) < segmentHeader || string(content[:8]) != segmentMagic ||
		crc32.Checksum(content[:segmentHeader-4], castagnoli()) != binary.BigEndian.Uint32(content[segmentHeader-4:]) {
		return header{}, errHeader
	}
	return header{
		anew:  binary.BigEndian.Uint32(content[8:])&flagAnew != 0,
		salt:  binary.BigEndian.Uint32(content[12:]),
		first: binary.BigEndian.Uint64(content[16:]),
	}, nil
}

// appendGroup adds a group with entries of consecutive indexes.
func appendGroup(b []byte, salt uint32, logs []*raft.Log) ([]byte, error) {
	start := len(b)
	b = append(b, make([]byte, groupHeader)...)
	for _, log := range logs {
		size := len(b)
		b = AppendEntry(append(b, 0, 0, 0, 0), log)
		if len(b)-start > math.MaxInt32 {
			return nil, fmt.Errorf("entries %d and on are too large to be stored at once", logs[0].Index)
		}
		binary.BigEndian.PutUint32(b[size:], uint32(len(b)-size-4))
	}
	copy(b[start:], groupMagic)
	binary.BigEndian.PutUint32(b[start+8:], uint32(len(b)-start-groupHeader))
	binary.BigEndian.PutUint32(b[start+12:], uint32(len(logs)))
	binary.BigEndian.PutUint64(b[start+16:], logs[0].Index)
	binary.BigEndian.PutUint32(b[start+4:], groupChecksum(b[start:], salt))
	return b, nil
}

func groupChecksum(group []byte, salt uint32) uint32 {
	return crc32.Update(salt, castagnoli(), group[8:groupHeader])
}

// isGroup says whether a group's header begins here.
func isGroup(b []byte, salt uint32) bool {
	return len(b) >= groupHeader && string(b[:4]) == groupMagic && binary.BigEndian.Uint32(b[4:]) == groupChecksum(b, salt)
}

// anyGroup says whether a group's header is anywhere in b.
func anyGroup(b []byte, salt uint32) bool {
	for {
		at := bytes.Index(b, []byte(groupMagic))
		if at < 0 {
			return false
		}
		if b = b[at:]; isGroup(b, salt) {
			return true
		}
		b = b[1:]
	}
}

// place is where in a segment a stored entry lies.
type place struct {
	at   int64
	size int32
}

// held is what a segment holds.
type held struct {
	header
	places []place // of the entries from first on
	end    int64   // behind the last whole group
	torn   bool    // behind it is something that is no group and not only zeros
}

// scan looks through a whole segment.
func scan(content []byte) (held, error) {
	head, err := readHeader(content)
	if err != nil {
		return held{}, err
	}
	h := held{header: head, end: segmentHeader}
	for {
		rest := content[h.end:]
		size := int64(0)
		if isGroup(rest, h.salt) {
			if first, next := binary.BigEndian.Uint64(rest[16:]), h.next(); first != next {
				return h, fmt.Errorf("entry %d of the Raft log is damaged: entry %d stands in its place", next, first)
			}
			size = h.take(rest)
		}
		if size > 0 {
			h.end += size
			continue
		}
		if len(rest) > 1 && anyGroup(rest[1:], h.salt) {
			return h, fmt.Errorf("entry %d of the Raft log is damaged: what lies behind it is whole", h.next())
		}
		h.torn = len(bytes.Trim(rest, "\x00")) > 0
		return h, nil
	}
}

// next is the index of the entry behind the last.
func (h *held) next() uint64 { return h.first + uint64(len(h.places)) }

// take notes the places of the entries of the group that begins rest. It gives the group's size, 0 when it is not whole.
func (h *held) take(rest []byte) int64 {
	size, count := int64(binary.BigEndian.Uint32(rest[8:])), binary.BigEndian.Uint32(rest[12:])
	if size > int64(len(rest)-groupHeader) || count == 0 {
		return 0
	}
	body, before := rest[groupHeader:groupHeader+size], len(h.places)
	for at := int64(0); count > 0; count-- {
		if size-at < 4 {
			break
		}
		length := int64(binary.BigEndian.Uint32(body[at:]))
		if at += 4; length > size-at || checkEntry(h.next(), body[at:at+length]) != nil {
			break
		}
		h.places = append(h.places, place{h.end + groupHeader + at, int32(length)})
		at += length
	}
	if count > 0 {
		h.places = h.places[:before]
		return 0
	}
	return groupHeader + size
}
