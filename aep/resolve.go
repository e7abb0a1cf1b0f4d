package aep

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"
)

const footageFolder = "(footage)" // where After Effects collects the files of a project

// Resolve finds the files that p refers to below dir and sets FileReference.Resolved. It looks first at the path
// relative to the project, then by name within a "(Footage)" folder, then by name anywhere. Case is ignored. It never
// finds anything outside dir, even through symbolic links.
func Resolve(ctx context.Context, p *Project, dir string, lim Limits) error {
	lim = lim.filled()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("resolving footage: %w", err)
	}
	index, err := indexFolder(ctx, dir, lim.ArchiveFiles)
	if err != nil {
		return err
	}
	base := "."
	if p.Path != "" {
		if abs, err := filepath.Abs(p.Path); err == nil {
			if rel, err := filepath.Rel(dir, filepath.Dir(abs)); err == nil {
				base = rel
			}
		}
	}
	for _, it := range p.Items {
		if f := it.Footage; f != nil && f.Kind == FootageFile {
			if rel, ok := index.find(f.File, base); ok {
				f.File.Resolved = filepath.Join(dir, rel)
			}
		}
	}
	return nil
}

// folderIndex finds the files below a folder by path and by name.
type folderIndex struct {
	paths map[string]string   // by folded path
	names map[string][]string // by folded name, best first
	isDir map[string]bool     // by path
}

func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }

func indexFolder(ctx context.Context, dir string, most int) (*folderIndex, error) {
	x := &folderIndex{paths: map[string]string{}, names: map[string][]string{}, isDir: map[string]bool{}}
	count := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if count++; count > most {
			return fmt.Errorf("%w: the folder holds more than %d files", ErrLimit, most)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." || !d.IsDir() && !d.Type().IsRegular() {
			return err
		}
		x.paths[fold(filepath.ToSlash(rel))] = rel
		x.isDir[rel] = d.IsDir()
		name := fold(d.Name())
		x.names[name] = append(x.names[name], rel)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("resolving footage: %w", err)
	}
	for _, found := range x.names {
		sort.SliceStable(found, func(i, j int) bool { return collected(found[i]) && !collected(found[j]) })
	}
	return x, nil
}

// collected tells whether a path leads through a "(Footage)" folder.
func collected(rel string) bool {
	for _, step := range strings.Split(filepath.ToSlash(rel), "/") {
		if strings.ToLower(step) == footageFolder {
			return true
		}
	}
	return false
}

// find finds the file of a reference, for a project in the folder base.
func (x *folderIndex) find(f FileReference, base string) (string, bool) {
	parts := f.parts()
	if len(parts) == 0 {
		return "", false
	}
	if rel := x.relative(f, parts, base); rel != "" {
		return rel, true
	}
	for _, rel := range x.names[fold(parts[len(parts)-1])] {
		if x.isDir[rel] == f.TargetIsFolder {
			return rel, true
		}
	}
	return "", false
}

// relative follows the reference's relative path: some folders up from the project, then its last steps.
func (x *folderIndex) relative(f FileReference, parts []string, base string) string {
	if f.AscendTarget <= 0 || f.AscendTarget > len(parts) {
		return ""
	}
	steps := []string{filepath.ToSlash(base)}
	for range max(0, f.AscendBase-1) {
		steps = append(steps, "..")
	}
	steps = append(steps, parts[len(parts)-f.AscendTarget:]...)
	way := filepath.ToSlash(filepath.Clean(filepath.Join(steps...)))
	rel, ok := x.paths[fold(way)]
	if !ok || x.isDir[rel] != f.TargetIsFolder {
		return ""
	}
	return rel
}

// Exists tells whether the file was found and still exists.
func (f FileReference) Exists() bool {
	if f.Resolved == "" {
		return false
	}
	_, err := os.Stat(f.Resolved)
	return err == nil
}
