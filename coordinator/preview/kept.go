package preview

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overcrank/farm"
	"overcrank/farm/names"
)

// files brings the files of assets that the team keeps, and gives their paths by the assets' addresses. What is too large or gone is left
// out: its layer shows what the template has.
func (s *stage) files(assets []farm.Asset) map[string]string {
	paths := map[string]string{}
	for _, a := range assets {
		for _, src := range []string{a.Src, a.MediaValue()} {
			sha256, kept := strings.CutPrefix(src, farm.KeptScheme)
			if !kept || paths[src] != "" {
				continue
			}
			path, err := s.keptFile(sha256)
			if err != nil {
				s.room.log.Warn("bringing a file for a preview", "template", s.template.ID, "file", sha256, "error", err)
			}
			if path != "" {
				paths[src] = path
			}
		}
	}
	return paths
}

// keptFile gives the path of a kept file, "" when it is not shown.
func (s *stage) keptFile(sha256 string) (path string, err error) {
	ref, err := s.room.farm.File(s.template.Team, sha256)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	dir := filepath.Join(s.dir, "files", ref.SHA256)
	path = filepath.Join(dir, names.Element(ref.Name, "file"))
	_, err = os.Stat(path)
	switch {
	case err == nil:
		return path, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	case ref.Size > mostFile || s.size+ref.Size > mostFiles:
		return "", nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of a kept file: %w", err)
	}
	// Under another name until it is whole, since what has the name is shown.
	part := filepath.Join(dir, "..", ref.SHA256+".part")
	ctx, cancel := context.WithTimeout(s.room.ctx, s.room.cfg.Bounds.Draw)
	defer cancel()
	if err := s.bring(ctx, ref, part); err != nil {
		return "", err
	}
	s.size += ref.Size
	return path, os.Rename(part, path)
}
