package frames

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Damaged is the error of a frame that does not match its checksum. Number is -1 when the number of the frame is not readable either.
type Damaged struct{ Number int }

func (d *Damaged) Error() string {
	if d.Number < 0 {
		return "frames are damaged"
	}
	return fmt.Sprintf("frame %d is damaged", d.Number)
}

// Reader reads a file of frames from its beginning. It needs memory for a few frames.
type Reader struct {
	head   Head
	r      *bufio.Reader
	zstd   *zstd.Decoder
	record []byte // of the last frame, as in the file
	pix    []byte
	lost   bool // reading bytes that belong to no record
}

// NewReader reads the beginning of a file. The error is ErrFormat when it is not a file of frames.
func NewReader(r io.Reader) (*Reader, error) {
	buf := bufio.NewReaderSize(r, 1<<18)
	head, err := readHead(buf)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(head.Size()+1<<20)), zstd.IgnoreChecksum(true))
	if err != nil {
		return nil, fmt.Errorf("unpack frames: %w", err)
	}
	return &Reader{head: head, r: buf, zstd: z}, nil
}

func readHead(r io.Reader) (Head, error) {
	var h Head
	begin := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r, begin); err != nil {
		return h, headError(err)
	}
	length := binary.LittleEndian.Uint32(begin[len(magic):])
	if string(begin[:len(magic)]) != magic || length > maxHead {
		return h, ErrFormat
	}
	rest := make([]byte, int(length)+sha256.Size)
	if _, err := io.ReadFull(r, rest); err != nil {
		return h, headError(err)
	}
	if sum := sha256.Sum256(rest[:length]); string(sum[:]) != string(rest[length:]) {
		return h, fmt.Errorf("%w: its head is damaged", ErrFormat)
	}
	if err := json.Unmarshal(rest[:length], &h); err != nil {
		return h, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return h, h.validate()
}

func headError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it is too short", ErrFormat)
	}
	return fmt.Errorf("read frames: %w", err)
}

// Head describes the frames of the file.
func (r *Reader) Head() Head { return r.head }

// Next reads the next frame. The pixels are valid until the next call. At the end of the file the error is io.EOF. After a *Damaged, the
// next call continues with the next frame that is intact.
func (r *Reader) Next() (number int, pix []byte, err error) {
	rec, err := r.next()
	if err != nil {
		return 0, nil, err
	}
	if cap(r.record) < recordHead+rec.length {
		r.record = make([]byte, recordHead+rec.length)
	}
	r.record = r.record[:recordHead+rec.length]
	packed := r.record[recordHead:]
	if _, err := io.ReadFull(r.r, packed); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil, &Damaged{Number: rec.number}
		}
		return 0, nil, fmt.Errorf("read frame %d: %w", rec.number, err)
	}
	if sumOf(rec.number, packed) != rec.sum {
		return 0, nil, &Damaged{Number: rec.number}
	}
	if r.pix == nil {
		r.pix = make([]byte, 0, r.head.Size())
	}
	pix, err = r.zstd.DecodeAll(packed, r.pix[:0])
	if err != nil || len(pix) != r.head.Size() {
		return 0, nil, &Damaged{Number: rec.number}
	}
	r.pix = pix
	add(pix, r.head.Format.Bytes())
	rec.append(r.record[:0])
	return rec.number, pix, nil
}

// Record is the record of the frame that Next returned last, as in the file, to be appended to another file. It is valid until the next
// call of Next.
func (r *Reader) Record() []byte { return r.record }

// next finds the beginning of the next record. It skips bytes that belong to no record, and reports them once, as *Damaged.
func (r *Reader) next() (record, error) {
	for {
		b, err := r.r.Peek(recordHead)
		if len(b) < recordHead {
			if err != nil && !errors.Is(err, io.EOF) {
				return record{}, fmt.Errorf("read frames: %w", err)
			}
			if len(b) > 0 && !r.lost {
				r.lost = true
				return record{}, &Damaged{Number: -1}
			}
			return record{}, io.EOF
		}
		rec, ok := parseRecord(b, maxPacked(r.head.Size()))
		if ok {
			r.lost = false
			_, err = r.r.Discard(recordHead)
			return rec, err
		}
		if !r.lost {
			r.lost = true
			return record{}, &Damaged{Number: -1}
		}
		if _, err := r.r.Discard(1); err != nil {
			return record{}, fmt.Errorf("read frames: %w", err)
		}
	}
}

// Close frees the reader. It does not close the file.
func (r *Reader) Close() { r.zstd.Close() }
