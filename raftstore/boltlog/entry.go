package boltlog

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/hashicorp/raft"
)

// An entry is stored as: checksum (4 bytes, Castagnoli, over index and all that follows), term (8), type (1), time of
// appending (8, Unix nanoseconds, noTime for none), length of the extensions (4), extensions, data. All big-endian.
const headerSize = 4 + 8 + 1 + 8 + 4

// noTime stands for an entry without a time of appending.
const noTime = math.MinInt64

// castagnoli returns the table by a call because hash/crc32 builds it once and shares it.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func encode(log *raft.Log) []byte {
	appended := int64(noTime)
	if !log.AppendedAt.IsZero() {
		appended = log.AppendedAt.UnixNano()
	}
	value := make([]byte, 4, headerSize+len(log.Extensions)+len(log.Data))
	value = binary.BigEndian.AppendUint64(value, log.Term)
	value = append(value, byte(log.Type))
	value = binary.BigEndian.AppendUint64(value, uint64(appended))
	value = binary.BigEndian.AppendUint32(value, uint32(len(log.Extensions)))
	value = append(value, log.Extensions...)
	value = append(value, log.Data...)
	binary.BigEndian.PutUint32(value, checksum(log.Index, value[4:]))
	return value
}

// decode fills log with copies of what value holds.
func decode(index uint64, value []byte, log *raft.Log) error {
	if len(value) < headerSize {
		return fmt.Errorf("entry %d of the Raft log is damaged: it holds only %d bytes", index, len(value))
	}
	if checksum(index, value[4:]) != binary.BigEndian.Uint32(value) {
		return fmt.Errorf("entry %d of the Raft log is damaged: its checksum does not match", index)
	}
	extensions := int(binary.BigEndian.Uint32(value[21:]))
	if extensions > len(value)-headerSize {
		return fmt.Errorf("entry %d of the Raft log is damaged: its extensions are longer than itself", index)
	}
	*log = raft.Log{
		Index: index,
		Term:  binary.BigEndian.Uint64(value[4:]),
		Type:  raft.LogType(value[12]),
		Data:  append([]byte(nil), value[headerSize+extensions:]...),
	}
	if extensions > 0 {
		log.Extensions = append([]byte(nil), value[headerSize:headerSize+extensions]...)
	}
	if appended := int64(binary.BigEndian.Uint64(value[13:])); appended != noTime {
		log.AppendedAt = time.Unix(0, appended)
	}
	return nil
}

func checksum(index uint64, rest []byte) uint32 {
	table := castagnoli()
	sum := crc32.Checksum(binary.BigEndian.AppendUint64(nil, index), table)
	return crc32.Update(sum, table, rest)
}
