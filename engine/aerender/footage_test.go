//go:build unix

package aerender

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/ffmpeg"
)

func TestFilesAreOpenedSeveralAtATime(t *testing.T) {
	const files = 3
	arrived, together := make(chan struct{}, files), make(chan struct{})
	go func() {
		<-arrived
		<-arrived
		close(together)
	}()
	uses := make([]aep.Use, files)
	for i := range uses {
		name := fmt.Sprint(i, ".mov")
		uses[i].Item = file(uint32(i+1), name, aep.Footage{})
		uses[i].Item.Footage.File.Resolved = name
	}
	s := &sources{uses: uses, opened: map[uint32]*footage.Source{}, channels: map[string]int{}}
	broken := errors.New("broken")
	s.read = func(_ context.Context, path string, _ footage.Interpretation) (*footage.Source, error) {
		arrived <- struct{}{}
		select {
		case <-together:
		case <-time.After(time.Minute):
			return nil, errors.New("each waits for the one before")
		}
		if path == "1.mov" {
			return nil, broken
		}
		return footage.Bars(2, 2), nil
	}
	got := s.all(t.Context())
	for i, file := range got {
		if i == 1 && !errors.Is(file.err, broken) || i != 1 && (file.err != nil || file.src == nil || s.opened[uint32(i+1)] != file.src) {
			t.Errorf("file %d: %v, %v", i, file.src, file.err)
		}
	}
}

func TestEachFileIsLookedAtOnce(t *testing.T) {
	project := lay(t, sample())
	compressed(t, project)
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	put(t, filepath.Join(dir, "ffprobe"), fmt.Sprintf("#!/bin/sh\nfor file; do :; done\necho \"$file\" >> '%s'\nPATH=\"${PATH#*:}\"\nexec ffprobe \"$@\"\n", seen))
	if err := os.Chmod(filepath.Join(dir, "ffprobe"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ffmpeg.FolderVariable, "")
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(dir, "o.mp4")); code != 0 {
		t.Fatal(out)
	}
	b, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	looks := map[string]int{}
	for _, path := range strings.Fields(string(b)) {
		looks[filepath.Base(path)]++
	}
	if looks["film.mp4"] != 1 || looks["sound.wav"] != 1 || len(looks) != 2 {
		t.Errorf("looked at %v, not once at the film and once at the sound", looks)
	}
}
