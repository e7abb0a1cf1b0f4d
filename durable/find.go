package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the paths below the folder dir that match pattern, whose syntax is that of path.Match, in lexical order. Unlike in
// filepath.Glob, dir is taken literally, whatever characters it has. Folders that cannot be read are skipped.
func Find(dir, pattern string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return paths, nil
}

// Exists reports whether there is a file or folder at path.
func Exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
