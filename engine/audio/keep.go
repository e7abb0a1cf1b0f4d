package audio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"overcrank/frames"
)

// Keep copies a mix to path. For no mix, which is "", it writes a WAV file without samples.
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
		_, err = out.Write(frames.NoSound())
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
