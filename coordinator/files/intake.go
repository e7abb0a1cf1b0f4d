package files

import (
	"context"
	"fmt"
	"hash"
	"io"
	"os"
)

// checkEvery is after how many bytes of one file the free space is looked at again.
const checkEvery = 64 << 20

// intake copies one stream into a file within its bounds.
type intake struct {
	ctx     context.Context
	r       io.Reader
	file    *os.File
	hash    hash.Hash
	room    func() error
	bounded bool
	most    int64
}

func (in *intake) copy() (int64, error) {
	buf := make([]byte, 256<<10)
	var n, checked int64
	for {
		if err := in.ctx.Err(); err != nil {
			return n, fmt.Errorf("receiving a file: %w", err)
		}
		got, readErr := in.r.Read(buf)
		n += int64(got)
		if in.bounded && n > in.most {
			return n, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, in.most)
		}
		in.hash.Write(buf[:got])
		if _, err := in.file.Write(buf[:got]); err != nil {
			return n, fmt.Errorf("writing a file: %w", err)
		}
		if readErr == io.EOF {
			return n, nil
		}
		if readErr != nil {
			return n, fmt.Errorf("receiving a file: %w: %w", ErrShort, readErr)
		}
		if n-checked >= checkEvery {
			if err := in.room(); err != nil {
				return n, err
			}
			checked = n
		}
	}
}
