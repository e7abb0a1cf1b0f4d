package command

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// RequestKey marks a request that must not be carried out twice, by a key that its caller chose.
type RequestKey struct {
	Team string    `json:"team"`
	Key  string    `json:"key"`
	Hash string    `json:"hash"` // of the whole request: another one under the same key is refused
	Size int64     `json:"size"` // bytes of its body
	At   time.Time `json:"at"`
}

// Request is what the farm keeps of a request that was carried out.
type Request struct {
	RequestKey
	// Made are the ids of what the request made or changed, in the order in which its answer names them.
	Made []string `json:"made,omitempty"`
	// Answer is what was answered, as the coordinator sealed it; nil when the farm was interrupted before.
	Answer []byte `json:"answer,omitempty"`
}

// RequestLife is how long a request is kept.
const RequestLife = 24 * time.Hour

// Over says whether the request is forgotten at a time.
func (r RequestKey) Over(at time.Time) bool { return at.Sub(r.At) >= RequestLife }

// keyedFlag in the version byte of an entry says that between it and the command there stands the RequestKey of the
// request that asked for it: its length as a varint, then JSON.
const keyedFlag = 0x40

// WithKey puts a request's key into an encoded command.
func WithKey(entry []byte, key RequestKey) ([]byte, error) {
	header, err := json.Marshal(key)
	if err != nil {
		return nil, fmt.Errorf("write the key of a request: %w", err)
	}
	out := make([]byte, 0, len(entry)+binary.MaxVarintLen32+len(header))
	out = append(out, entry[0], entry[1]|keyedFlag)
	out = binary.AppendUvarint(out, uint64(len(header)))
	out = append(out, header...)
	return append(out, entry[2:]...), nil
}

var errCutKey = errors.New("the key of its request is cut short")

// CutKey parts an entry into the key of its request, nil when it has none, and the encoded command.
func CutKey(data []byte) (*RequestKey, []byte, error) {
	if len(data) < 2 || data[1]&keyedFlag == 0 {
		return nil, data, nil
	}
	size, read := binary.Uvarint(data[2:])
	rest := data[2+max(read, 0):]
	if read <= 0 || size > uint64(len(rest)) {
		return nil, nil, errCutKey
	}
	var key RequestKey
	if err := json.Unmarshal(rest[:size], &key); err != nil {
		return nil, nil, fmt.Errorf("read the key of its request: %w", err)
	}
	entry := append([]byte{data[0], data[1] &^ keyedFlag}, rest[size:]...)
	return &key, entry, nil
}

// KeepAnswer keeps what a request was answered, and the request itself when none of its commands did.
type KeepAnswer struct {
	RequestKey
	Answer []byte
}

// ForgetRequests forgets the oldest requests of before a time, at most Limit of them.
type ForgetRequests struct {
	Before time.Time
	Limit  int
}

func (KeepAnswer) Needs() int     { return ClusterLevel }
func (ForgetRequests) Needs() int { return ClusterLevel }
