package audio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Keep copies a mix to path. From no mix at all, which is "", it makes a WAV file without samples: silence that needs no stream.
func Keep(mix, path string) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing '%s': %w", filepath.Base(path), err)
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			err = fmt.Errorf("writing '%s': %w", filepath.Base(path), err)
		}
	}()
	if mix == "" {
		_, err = out.Write(empty())
		return err
	}
	in, err := os.Open(mix)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(out, in)
	return err
}

// empty is a stereo 16-bit WAV file without samples.
func empty() []byte {
	const channels, bytes = 2, 2
	le := func(v, n int) (b []byte) {
		for range n {
			b = append(b, byte(v))
			v >>= 8
		}
		return b
	}
	var b []byte
	for _, part := range [][]byte{
		[]byte("RIFF"), le(36, 4), []byte("WAVEfmt "), le(16, 4), le(1, 2), le(channels, 2), le(Rate, 4), le(Rate*channels*bytes, 4),
		le(channels*bytes, 2), le(8*bytes, 2), []byte("data"), le(0, 4),
	} {
		b = append(b, part...)
	}
	return b
}
