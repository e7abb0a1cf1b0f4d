package seglog

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
const entryHeader = 4 + 8 + 1 + 8 + 4

// noTime stands for an entry without a time of appending.
const noTime = math.MinInt64

// castagnoli returns the table by a call because hash/crc32 builds it once and shares it.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// AppendEntry adds an entry as it is stored behind b.
func AppendEntry(b []byte, log *raft.Log) []byte {
	appended := int64(noTime)
	if !log.AppendedAt.IsZero() {
		appended = log.AppendedAt.UnixNano()
	}
	start := len(b)
	value := append(b, 0, 0, 0, 0) // the checksum
	value = binary.BigEndian.AppendUint64(value, log.Term)
	value = append(value, byte(log.Type))
	value = binary.BigEndian.AppendUint64(value, uint64(appended))
	value = binary.BigEndian.AppendUint32(value, uint32(len(log.Extensions)))
	value = append(value, log.Extensions...)
	value = append(value, log.Data...)
	binary.BigEndian.PutUint32(value[start:], checksum(log.Index, value[start+4:]))
	return value
}

// DecodeEntry fills log with what value, a stored entry, holds; the entry keeps parts of value.
func DecodeEntry(index uint64, value []byte, log *raft.Log) error {
	if err := checkEntry(index, value); err != nil {
		return err
	}
	extensions := int(binary.BigEndian.Uint32(value[21:]))
	*log = raft.Log{
		Index: index,
		Term:  binary.BigEndian.Uint64(value[4:]),
		Type:  raft.LogType(value[12]),
		Data:  value[entryHeader+extensions:],
	}
	if extensions > 0 {
		log.Extensions = value[entryHeader : entryHeader+extensions : entryHeader+extensions]
	}
	if appended := int64(binary.BigEndian.Uint64(value[13:])); appended != noTime {
		log.AppendedAt = time.Unix(0, appended)
	}
	return nil
}

// checkEntry says whether a stored entry is whole, without copying it.
func checkEntry(index uint64, value []byte) error {
	if len(value) < entryHeader {
		return fmt.Errorf("entry %d of the Raft log is damaged: it holds only %d bytes", index, len(value))
	}
	if checksum(index, value[4:]) != binary.BigEndian.Uint32(value) {
		return fmt.Errorf("entry %d of the Raft log is damaged: its checksum does not match", index)
	}
	if int64(binary.BigEndian.Uint32(value[21:])) > int64(len(value)-entryHeader) {
		return fmt.Errorf("entry %d of the Raft log is damaged: its extensions are longer than itself", index)
	}
	return nil
}

func checksum(index uint64, rest []byte) uint32 {
	table := castagnoli()
	sum := crc32.Checksum(binary.BigEndian.AppendUint64(nil, index), table)
	return crc32.Update(sum, table, rest)
}
