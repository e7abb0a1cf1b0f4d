package command

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"overcrank/farm"
	"overcrank/raftstore/record"
)

// Sender is on whose behalf a command is applied.
type Sender struct {
	Key   *RequestKey // of the request that must not be carried out twice; nil for none
	Actor *farm.Actor // whom the audit log names; nil for the farm itself
}

// Flags in the version byte of an entry say what stands between it and the command, each with its length before it as a varint, as JSON: who
// asks for the command, then the RequestKey of the request that asked for it.
const (
	keyedFlag = 0x40
	actorFlag = 0x20
)

// appendTo writes a sender behind the two bytes of kind and version. flags are for the version byte.
func (s Sender) appendTo(out []byte) (entry []byte, flags byte, err error) {
	if s.Actor != nil {
		header, err := record.EncodeActor(s.Actor)
		if err != nil {
			return nil, 0, fmt.Errorf("write who asks for a command: %w", err)
		}
		out, flags = appendPart(out, header), flags|actorFlag
	}
	if s.Key != nil {
		header, err := json.Marshal(s.Key)
		if err != nil {
			return nil, 0, fmt.Errorf("write the key of a request: %w", err)
		}
		out, flags = appendPart(out, header), flags|keyedFlag
	}
	return out, flags, nil
}

// cutSender takes who sent a command from the front of what stands behind the two bytes of an entry.
func cutSender(flags byte, data []byte) (s Sender, body []byte, err error) {
	var header []byte
	if flags&actorFlag != 0 {
		if header, data, err = cutPart(data); err != nil {
			return s, nil, fmt.Errorf("read who asks for a command: %w", err)
		}
		s.Actor = new(farm.Actor)
		if err := record.Decode(header, s.Actor); err != nil {
			return s, nil, fmt.Errorf("read who asks for a command: %w", err)
		}
	}
	if flags&keyedFlag != 0 {
		if header, data, err = cutPart(data); err != nil {
			return s, nil, fmt.Errorf("read the key of its request: %w", err)
		}
		s.Key = new(RequestKey)
		if err := json.Unmarshal(header, s.Key); err != nil {
			return s, nil, fmt.Errorf("read the key of its request: %w", err)
		}
	}
	return s, data, nil
}

// appendPart appends a part with its length before it.
func appendPart(out, part []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(part))), part...)
}

// cutPart takes a part with its length before it from the front of data.
func cutPart(data []byte) (part, rest []byte, err error) {
	size, n := binary.Uvarint(data)
	if n <= 0 || size > uint64(len(data)-n) {
		return nil, nil, errCutShort
	}
	return data[n : n+int(size)], data[n+int(size):], nil
}

var errCutShort = errors.New("it ends early")
