package footage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"overcrank/engine/raster"
)

// sequence is a series of numbered pictures in a folder.
type sequence struct {
	lib   *Library
	paths []string
	in    Interpretation

	mu   sync.Mutex
	ring map[int]*still
}

var numbered = regexp.MustCompile(`^(.*?)(\d+)(\.[^.]+)$`)

const maxSequence = 1 << 20 // pictures

// openSequence opens the numbered pictures that path belongs to, in the order of their numbers. A folder stands for its
// first picture.
func (l *Library) openSequence(ctx context.Context, path string, in Interpretation) (*Source, error) {
	paths, err := siblings(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	info, _, err := probe(ctx, paths[0], l.fonts.Load())
	if err != nil {
		return nil, err
	}
	if !info.Video {
		return nil, unreadable(path, errors.New("it has no pictures"))
	}
	if in.FrameRate <= 0 {
		in.FrameRate = 30
	}
	info.Still, info.FrameRate, info.Duration = false, in.FrameRate, float64(len(paths))/in.FrameRate
	in.Sequence = false
	return &Source{Info: info, reader: &sequence{lib: l, paths: paths, in: in, ring: map[int]*still{}}}, nil
}

func siblings(path string) ([]string, error) {
	dir, first := filepath.Split(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir, first = path, ""
	}
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	want := numbered.FindStringSubmatch(first)
	type numberedFile struct {
		n    int
		path string
	}
	var files []numberedFile
	for _, e := range entries {
		m := numbered.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		if want == nil && first == "" {
			want = m
		}
		if want == nil || m[1] != want[1] || !strings.EqualFold(m[3], want[3]) {
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		files = append(files, numberedFile{n, filepath.Join(dir, e.Name())})
	}
	if len(files) == 0 {
		return nil, errors.New("there are no numbered pictures of that name")
	}
	if len(files) > maxSequence {
		return nil, errors.New("it has too many pictures")
	}
	slices.SortFunc(files, func(a, b numberedFile) int { return a.n - b.n })
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	return paths, nil
}

func (s *sequence) frame(ctx context.Context, n, halvings, _ int) (*raster.Image, error) {
	n = max(0, min(n, len(s.paths)-1))
	st, err := s.still(ctx, n)
	if err != nil {
		return nil, err
	}
	return st.frame(ctx, 0, halvings, 0)
}

func (s *sequence) still(ctx context.Context, n int) (*still, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.ring[n]; st != nil {
		return st, nil
	}
	info, st, err := probe(ctx, s.paths[n], s.lib.fonts.Load())
	if err != nil {
		return nil, err
	}
	for k, old := range s.ring {
		if k <= n-windowLeast || k >= n+windowLeast {
			s.lib.dropAll(old)
			delete(s.ring, k)
		}
	}
	s.ring[n] = &still{lib: s.lib, path: s.paths[n], in: s.in, stream: st, info: info}
	return s.ring[n], nil
}

func (s *sequence) rest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, old := range s.ring {
		s.lib.dropAll(old)
		delete(s.ring, k)
	}
	return true
}

func (s *sequence) close() error {
	s.rest()
	return nil
}
