package join

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/ffmpeg"
)

// TestWhatAJoinStartsIsBounded puts programs in the place of ffmpeg's that wait for a limit of their memory, note it and what they are called
// with, and go on as ffmpeg's.
func TestWhatAJoinStartsIsBounded(t *testing.T) {
	tools, notes, clips := t.TempDir(), t.TempDir(), t.TempDir()
	film := []string{coloured(t, clips, "red.mp4", "red", "64x36", "25", 10, 440), coloured(t, clips, "blue.mp4", "blue", "32x18", "30", 12, 0)}
	for _, program := range []string{"ffmpeg", "ffprobe"} {
		real, err := exec.LookPath(program)
		if err != nil {
			t.Skip(err)
		}
		script := `#!/bin/bash
tries=0
while grep -q '^Max data size  *unlimited' /proc/$$/limits && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries+1)); done
{ grep '^Max data size' /proc/$$/limits | tr '\n' ' '; echo "$@"; } > '` + notes + `'/` + program + `.$$
exec '` + real + `' "$@"
`
		if err := os.WriteFile(filepath.Join(tools, program), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(ffmpeg.FolderVariable, tools)
	stitched(t, film...)
	children, err := filepath.Glob(filepath.Join(notes, "*"))
	if err != nil || len(children) < 4 {
		t.Fatalf("the join started %v, %v", children, err)
	}
	for _, child := range children {
		note, err := os.ReadFile(child)
		if err != nil {
			t.Fatal(err)
		}
		limit := strings.Fields(strings.TrimPrefix(string(note), "Max data size"))[0]
		if limit != fmt.Sprint(uint64(ffmpeg.MaxMemory)) && limit != fmt.Sprint(uint64(ffmpeg.MaxConverting)) || !strings.Contains(string(note), "-max_alloc ") {
			t.Errorf("it started %s", note)
		}
	}
}
