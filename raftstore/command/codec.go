package command

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/klauspost/compress/zstd"

	"overcrank/farm"
	"overcrank/raftstore/record"
)

// An encoded command is one byte of kind, one of version, then JSON, save for what submit.go says. The top bit of
// the version byte says that what follows is compressed with zstd. A version once written replays for ever;
// raftstore/tables/testdata/commands holds one of each.
const (
	commandVersion = 1
	submitVersion  = 2 // of the commands with jobs in them
	compressedFlag = 0x80

	compressFrom   = 4 << 10   // bytes of JSON from which compressing pays
	maxCommand     = 512 << 10 // bytes of an encoded command; larger entries delay Raft's heartbeats
	MaxCommandJSON = 64 << 20  // bytes of a command's JSON, also against hostile compression
	headRoom       = 128       // bytes of what mostly stands before it
)

// Codec turns commands into log entries and back. It is safe for concurrent use.
type Codec struct {
	byKind       map[Kind]Definition
	kinds        map[reflect.Type]Kind
	compressor   *zstd.Encoder
	decompressor *zstd.Decoder
	pack         record.Packers
}

func NewCodec(commands []Definition) (*Codec, error) {
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("prepare compression of commands: %w", err)
	}
	decompressor, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxCommandJSON))
	if err != nil {
		return nil, fmt.Errorf("prepare decompression of commands: %w", err)
	}
	c := &Codec{byKind: make(map[Kind]Definition, len(commands)), kinds: make(map[reflect.Type]Kind, len(commands)), compressor: compressor, decompressor: decompressor}
	for _, d := range commands {
		if was, taken := c.byKind[d.Kind]; taken {
			return nil, fmt.Errorf("the kind %d is that of %v and of %v", d.Kind, was.Type, d.Type)
		}
		c.byKind[d.Kind], c.kinds[d.Type] = d, d.Kind
	}
	return c, nil
}

// Close frees what the codec holds.
func (c *Codec) Close() { c.decompressor.Close() }

// Encode gives the log entry of cmd, sent by somebody. A command that is too large is an error of CodeTooLarge.
func (c *Codec) Encode(by Sender, cmd Command) ([]byte, error) {
	kind, known := c.kinds[reflect.TypeOf(cmd)]
	if !known {
		return nil, fmt.Errorf("write command %T: it has no kind", cmd)
	}
	head, flags, err := by.appendTo(make([]byte, 2, headRoom))
	if err != nil {
		return nil, err
	}
	out, version, err := appendBody(head, cmd, &c.pack)
	if err != nil {
		return nil, farm.Errorf(farm.CodeInvalid, "the change cannot be stored: %w", err)
	}
	body := out[len(head):]
	limit := compressFrom
	if version == submitVersion {
		limit = maxCommand // most of it is compressed already
	}
	if len(body) >= limit {
		version |= compressedFlag
		out = c.compressor.EncodeAll(body, append(make([]byte, 0, len(head)+len(body)/2), out[:len(head)]...))
	}
	if len(out)-len(head) > maxCommand-2 || len(body) > MaxCommandJSON {
		return nil, farm.Errorf(farm.CodeTooLarge,
			"the request is too large to be stored in one piece: %d KB where %d KB are allowed; send fewer jobs at once, or put large values into files",
			(len(out)+1023)>>10, maxCommand>>10)
	}
	out[0], out[1] = byte(kind), version|flags
	return out, nil
}

// Decode gives the command of a log entry, and who sent it. An unknown kind or version is an error: a node that does not
// understand an entry must not go on without it.
func (c *Codec) Decode(entry []byte) (by Sender, cmd Command, err error) {
	read, err := c.reader(entry)
	if err != nil {
		return by, nil, err
	}
	by, body, err := cutSender(entry[1], entry[2:])
	if err != nil {
		return by, nil, err
	}
	if entry[1]&compressedFlag != 0 {
		if body, err = c.decompressor.DecodeAll(body, nil); err != nil {
			return by, nil, fmt.Errorf("decompress command of kind %d: %w", entry[0], err)
		}
	}
	cmd, err = read(body)
	return by, cmd, err
}

// Understands is nil when this program knows the kind and version of an entry.
func (c *Codec) Understands(entry []byte) error {
	_, err := c.reader(entry)
	return err
}

// Holds says whether an entry has a command of the same kind as cmd.
func (c *Codec) Holds(entry []byte, cmd Command) bool {
	return len(entry) > 0 && Kind(entry[0]) == c.kinds[reflect.TypeOf(cmd)]
}

// PackRows compresses rows of a state.
func (c *Codec) PackRows(rows []byte) []byte { return c.compressor.EncodeAll(rows, nil) }

// UnpackRows puts what packRows made behind what out holds.
func (c *Codec) UnpackRows(packed, out []byte) ([]byte, error) {
	return c.decompressor.DecodeAll(packed, out)
}

// reader reads the command of an entry.
func (c *Codec) reader(entry []byte) (func(body []byte) (Command, error), error) {
	if len(entry) < 2 {
		return nil, fmt.Errorf("command of %d bytes is too short", len(entry))
	}
	kind, version := Kind(entry[0]), entry[1]&^(compressedFlag|keyedFlag|actorFlag)
	definition, known := c.byKind[kind]
	switch {
	case known && version == submitVersion && definition.readPacked != nil:
		return definition.readPacked, nil
	case version != commandVersion:
		return nil, fmt.Errorf("command of kind %d has version %d, which this program does not know: a newer version of it wrote the log: %w", kind, version, ErrNewer)
	case !known:
		return nil, fmt.Errorf("command of kind %d is unknown: a newer version of this program wrote the log: %w", kind, ErrNewer)
	}
	return definition.readJSON, nil
}

// appendBody writes what stands behind the two bytes of kind and version.
func appendBody(out []byte, cmd Command, pack *record.Packers) (entry []byte, version byte, err error) {
	if c, is := cmd.(packing); is {
		out, err = c.appendTo(out, pack)
		return out, submitVersion, err
	}
	body, err := json.Marshal(cmd)
	return append(out, body...), commandVersion, err
}
