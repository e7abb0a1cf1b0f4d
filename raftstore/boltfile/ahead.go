package boltfile

import (
	"context"
	"io"
	"os"
	"sync"
)

// readAhead brings a file into the system's cache, from its beginning to its end, until the function that it gives is called. bbolt has the
// system read just the pages that are touched, one by one: looking through a file of gigabytes that is not in the cache takes minutes so,
// and seconds in the order in which the disk has it.
func readAhead(path string) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	reading.Go(func() {
		file, err := os.Open(path)
		if err != nil {
			return // whoever looks through the file says so
		}
		defer file.Close()
		_, _ = io.CopyBuffer(io.Discard, struct{ io.Reader }{whileReader{ctx, file}}, make([]byte, 1<<20))
	})
	return func() {
		cancel()
		reading.Wait()
	}
}

// whileReader reads until ctx ends.
type whileReader struct {
	ctx context.Context
	r   io.Reader
}

func (w whileReader) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}
