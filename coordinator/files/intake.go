package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// intake is a stream on its way into a store. It hashes the stream and enforces its limits as it is read.
type intake struct {
	ctx   context.Context
	r     io.Reader
	lim   Limits
	hash  hash.Hash
	n     int64
	ended bool  // the stream was read to its end and is valid
	err   error // why the stream is refused; a store reports this one rather than an error of its own
}

// newIntake prepares to read a stream; ErrTooLarge when it is announced as larger than allowed.
func newIntake(ctx context.Context, r io.Reader, lim Limits) (*intake, error) {
	if lim.Max > 0 && lim.Size > lim.Max {
		return nil, fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, lim.Size, lim.Max)
	}
	return &intake{ctx: ctx, r: r, lim: lim, hash: sha256.New()}, nil
}

// limit is how many bytes may come; -1 for any number.
func (in *intake) limit() int64 {
	if in.lim.Size >= 0 {
		return in.lim.Size
	}
	if in.lim.Max > 0 {
		return in.lim.Max
	}
	return -1
}

// Read implements io.Reader.
func (in *intake) Read(p []byte) (int, error) {
	if in.err != nil {
		return 0, in.err
	}
	if err := in.ctx.Err(); err != nil {
		in.err = fmt.Errorf("receiving a file: %w", err)
		return 0, in.err
	}
	got, err := in.r.Read(p)
	in.n += int64(got)
	in.hash.Write(p[:got])
	limit := in.limit()
	switch {
	case limit >= 0 && in.n > limit:
		in.err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	case err == io.EOF && in.n < in.lim.Size:
		in.err = fmt.Errorf("%w: received %d of %d bytes", ErrShort, in.n, in.lim.Size)
	case err == io.EOF && in.lim.SHA256 != "" && in.sha256() != in.lim.SHA256:
		in.err = fmt.Errorf("%w: its hash is %s", ErrContent, in.sha256())
	case err != nil && err != io.EOF:
		in.err = fmt.Errorf("receiving a file: %w: %w", ErrShort, err)
	default:
		in.ended = err == io.EOF
		return got, err
	}
	return 0, in.err
}

func (in *intake) sha256() string { return hex.EncodeToString(in.hash.Sum(nil)) }
