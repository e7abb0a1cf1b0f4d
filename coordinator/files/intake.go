package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// intake is a stream on its way into a store: it is hashed and held to its bounds as it is read.
type intake struct {
	ctx   context.Context
	r     io.Reader
	lim   Limits
	hash  hash.Hash
	n     int64
	ended bool  // it has come to its end, whole
	err   error // why the stream is not taken, which a store must not hide behind an error of its own
}

// take begins to take a stream; ErrTooLarge when it is announced as larger than it may be.
func take(ctx context.Context, r io.Reader, lim Limits) (*intake, error) {
	if lim.Max > 0 && lim.Size > lim.Max {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are taken", ErrTooLarge, lim.Size, lim.Max)
	}
	return &intake{ctx: ctx, r: r, lim: lim, hash: sha256.New()}, nil
}

// most is how many bytes may come; -1 for no bound.
func (in *intake) most() int64 {
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
	most := in.most()
	switch {
	case most >= 0 && in.n > most:
		in.err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
	case err == io.EOF && in.n < in.lim.Size:
		in.err = fmt.Errorf("%w: %d of %d bytes came", ErrShort, in.n, in.lim.Size)
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
