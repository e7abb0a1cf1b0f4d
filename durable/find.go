package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Find gives the paths of what lies under a folder and matches a pattern as path.Match has it, in the order of their names. Unlike that of
// filepath.Glob the folder is no pattern, whatever it is called; what cannot be read is passed over, as there.
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

// Exists tells whether there is something at a path.
func Exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
