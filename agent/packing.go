package agent

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// zipFiles packs files of the folder dir, named by their way from it. Pictures do not get smaller, so nothing is
// compressed.
func zipFiles(ctx context.Context, path, dir string, files []string) (err error) {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("packing the result: %w", err)
	}
	z := zip.NewWriter(out)
	for _, file := range files {
		if err = errors.Join(context.Cause(ctx)); err != nil {
			break
		}
		if err = addToZip(z, dir, file); err != nil {
			break
		}
	}
	if err = errors.Join(err, z.Close(), out.Close()); err != nil {
		return fmt.Errorf("packing the result: %w", err)
	}
	return nil
}

func addToZip(z *zip.Writer, dir, file string) error {
	name, err := filepath.Rel(dir, file)
	if err != nil {
		return err
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	w, err := z.CreateHeader(&zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Store, Modified: info.ModTime()})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}
