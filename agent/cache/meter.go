package cache

import (
	"fmt"
	"hash"
	"io"
)

// meter is a writer that hashes and counts what it passes on to w, and fails after limit bytes; -1 is no limit.
type meter struct {
	w     io.Writer
	hash  hash.Hash
	n     int64
	limit int64
}

func (m *meter) Write(p []byte) (int, error) {
	if m.limit >= 0 && m.n+int64(len(p)) > m.limit {
		return 0, fmt.Errorf("%w: received more than %d bytes", ErrContent, m.limit)
	}
	n, err := m.w.Write(p)
	m.n += int64(n)
	m.hash.Write(p[:n])
	return n, err
}
