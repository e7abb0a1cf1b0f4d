package command

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"overcrank/farm"
)

// actorFlag in the version byte of an entry says that behind it there stands who asks for the command: its length as a varint, then JSON.
// The key of a request stands behind that.
const actorFlag = 0x20

// WithActor puts who asks for a command into an entry, for the audit log.
func WithActor(entry []byte, actor farm.Actor) ([]byte, error) {
	header, err := json.Marshal(actor)
	if err != nil {
		return nil, fmt.Errorf("write who asks for a command: %w", err)
	}
	out := make([]byte, 0, len(entry)+binary.MaxVarintLen32+len(header))
	out = append(out, entry[0], entry[1]|actorFlag)
	out = binary.AppendUvarint(out, uint64(len(header)))
	out = append(out, header...)
	return append(out, entry[2:]...), nil
}

var errCutActor = errors.New("who asks for it is cut short")

// CutActor parts an entry into who asks for its command, nil when it does not say, and the rest of it.
func CutActor(data []byte) (*farm.Actor, []byte, error) {
	if len(data) < 2 || data[1]&actorFlag == 0 {
		return nil, data, nil
	}
	size, read := binary.Uvarint(data[2:])
	rest := data[2+max(read, 0):]
	if read <= 0 || size > uint64(len(rest)) {
		return nil, nil, errCutActor
	}
	var actor farm.Actor
	if err := json.Unmarshal(rest[:size], &actor); err != nil {
		return nil, nil, fmt.Errorf("read who asks for a command: %w", err)
	}
	return &actor, append([]byte{data[0], data[1] &^ actorFlag}, rest[size:]...), nil
}
