package runner

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// kind is the kind of a frame.
type kind uint8

// The kinds of frames, and who sends them. Those with a type's name hold that type as JSON.
const (
	kindHello     kind = iota + 1 // runner: hello, its first frame
	kindWelcome                   // service: welcome, its first frame, the answer to hello
	kindStart                     // service: start, which opens a stream
	kindSignal                    // service: one byte, the signal for a program
	kindCredit                    // service: how many more bytes of output it takes, a big-endian number of 32 bits
	kindOutput                    // runner: bytes of a program's output
	kindExited                    // runner: exited, once a program has ended
	kindClosed                    // runner: the end of a program's output; empty
	kindSeen                      // runner: seen, once a second
	kindDiscard                   // service: discard, which opens a stream
	kindDiscarded                 // runner: discarded, which ends it
	kindEnd                       // one behind the last
)

const (
	headerSize = 9        // kind, stream, length
	maxMessage = 64 << 10 // bytes of JSON
	maxOutput  = 32 << 10 // bytes of output in a frame
	// window is how many bytes of a program's output may be in flight, so that a program that writes faster than it is read has to wait.
	window = 256 << 10
)

// maxBytes is the largest size of a frame's content, in bytes.
func (k kind) maxBytes() int {
	switch k {
	case kindSignal:
		return 1
	case kindCredit:
		return 4
	case kindClosed:
		return 0
	case kindOutput:
		return maxOutput
	}
	return maxMessage
}

// errProtocol means that the other side broke the protocol.
var errProtocol = errors.New("the other side broke the protocol")

// frame is one message, in either direction.
type frame struct {
	kind    kind
	stream  uint32 // of a program or another request; 0 for none
	content []byte
}

// readFrame reads a frame. It never allocates more than the largest frame needs.
func readFrame(r io.Reader) (frame, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: kind(header[0]), stream: binary.BigEndian.Uint32(header[1:])}
	length := binary.BigEndian.Uint32(header[5:])
	if f.kind == 0 || f.kind >= kindEnd || int64(length) > int64(f.kind.maxBytes()) {
		return frame{}, fmt.Errorf("%w: a frame of kind %d with %d bytes", errProtocol, f.kind, length)
	}
	if length == 0 {
		return f, nil
	}
	f.content = make([]byte, length)
	if _, err := io.ReadFull(r, f.content); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return frame{}, err
	}
	return f, nil
}

// append adds a frame's bytes to b.
func (f frame) append(b []byte) []byte {
	b = append(b, byte(f.kind))
	b = binary.BigEndian.AppendUint32(b, f.stream)
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.content)))
	return append(b, f.content...)
}

// line is the channel between a service and a runner. One goroutine may receive; several may send.
type line struct {
	conn io.ReadWriteCloser
	in   *bufio.Reader

	sending sync.Mutex
	buf     []byte
}

func newLine(conn io.ReadWriteCloser) *line {
	return &line{conn: conn, in: bufio.NewReaderSize(conn, headerSize+maxOutput)}
}

func (l *line) receive() (frame, error) { return readFrame(l.in) }

func (l *line) send(f frame) error {
	if len(f.content) > f.kind.maxBytes() {
		return fmt.Errorf("%d bytes are too many for a frame of kind %d", len(f.content), f.kind)
	}
	l.sending.Lock()
	defer l.sending.Unlock()
	l.buf = f.append(l.buf[:0])
	_, err := l.conn.Write(l.buf)
	return err
}
