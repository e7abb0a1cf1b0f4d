package attempt

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// zipFiles packs files of the folder dir, named by their way from it.
func zipFiles(ctx context.Context, path, dir string, files []string) error {
	return zipNamed(ctx, path, files, func(i int) (string, error) {
		name, err := filepath.Rel(dir, files[i])
		return filepath.ToSlash(name), err
	})
}

// zipStills packs pictures under the numbers of their frames in the composition: the engine's own numbers begin where the
// composition's timecode does.
func zipStills(ctx context.Context, path string, files []string, number func(i int) int) error {
	return zipNamed(ctx, path, files, func(i int) (string, error) {
		return fmt.Sprintf("%s%05d%s", stillsPrefix, number(i), filepath.Ext(files[i])), nil
	})
}

// zipNamed packs each file under the name that it is given. Pictures do not get smaller, so nothing is compressed.
func zipNamed(ctx context.Context, path string, files []string, name func(i int) (string, error)) (err error) {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("packing the result: %w", err)
	}
	z := zip.NewWriter(out)
	for i, file := range files {
		if err = errors.Join(context.Cause(ctx)); err != nil {
			break
		}
		var entry string
		if entry, err = name(i); err != nil {
			break
		}
		if err = addToZip(z, entry, file); err != nil {
			break
		}
	}
	if err = errors.Join(err, z.Close(), out.Close()); err != nil {
		return fmt.Errorf("packing the result: %w", err)
	}
	return nil
}

func addToZip(z *zip.Writer, name, file string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: info.ModTime()})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}
