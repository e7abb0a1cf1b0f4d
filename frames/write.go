package frames

import (
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Packer packs frames into records. It is safe for concurrent use.
type Packer struct {
	head Head
	zstd *zstd.Encoder
}

// NewPacker makes a packer for frames as head describes them.
func NewPacker(head Head) (*Packer, error) {
	if err := head.validate(); err != nil {
		return nil, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, fmt.Errorf("pack frames: %w", err)
	}
	return &Packer{head: head, zstd: z}, nil
}

// Pack returns the record of a frame, to be appended to a file. It overwrites pix.
func (p *Packer) Pack(number int, pix []byte) ([]byte, error) {
	switch {
	case len(pix) != p.head.Size():
		return nil, fmt.Errorf("a frame has %d bytes instead of %d", len(pix), p.head.Size())
	case number < 0 || number > maxNumber:
		return nil, fmt.Errorf("%d is not the number of a frame", number)
	}
	subtract(pix, p.head.Format.Bytes())
	out := p.zstd.EncodeAll(pix, make([]byte, recordHead, recordHead+len(pix)/4))
	packed := out[recordHead:]
	record{number: number, length: len(packed), sum: sumOf(number, packed)}.append(out[:0])
	return out, nil
}

// Close frees the packer.
func (p *Packer) Close() error { return p.zstd.Close() }

// Writer writes a file of frames.
type Writer struct {
	w      io.Writer
	packer *Packer
	last   int
}

// NewWriter writes the beginning of a file.
func NewWriter(w io.Writer, head Head) (*Writer, error) {
	p, err := NewPacker(head)
	if err != nil {
		return nil, err
	}
	begin, err := head.Begin()
	if err == nil {
		_, err = w.Write(begin)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin a file of frames: %w", err), p.Close())
	}
	return &Writer{w: w, packer: p, last: -1}, nil
}

// Write appends a frame, whose number has to be greater than that of the frame before. It overwrites pix.
func (w *Writer) Write(number int, pix []byte) error {
	if number <= w.last {
		return fmt.Errorf("frame %d cannot follow frame %d", number, w.last)
	}
	b, err := w.packer.Pack(number, pix)
	if err != nil {
		return err
	}
	w.last = number
	if _, err := w.w.Write(b); err != nil {
		return fmt.Errorf("write frame %d: %w", number, err)
	}
	return nil
}

// Close frees the writer. It does not close the file.
func (w *Writer) Close() error { return w.packer.Close() }
