//go:build unix

package aerender

import (
	"os"
	"path/filepath"
	"testing"

	"overcrank/ffmpeg"
)

// compressed writes the sound of a project again as one that is to be decoded, for which ffmpeg is asked.
func compressed(t testing.TB, project string) {
	t.Helper()
	path := filepath.Join(filepath.Dir(project), "(Footage)", "sound.wav")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "sine=d=2:r=48000", "-c:a", "adpcm_ima_wav", path); err != nil {
		t.Fatal(err)
	}
}

// TestASoundThatCannotBeMixed has an ffmpeg that mixes none.
func TestASoundThatCannotBeMixed(t *testing.T) {
	project, dir := lay(t, sample()), t.TempDir()
	compressed(t, project)
	put(t, filepath.Join(dir, "ffmpeg"), `#!/bin/sh
for word; do
	if [ "$word" = -filter_complex ]; then
		sleep 0.2
		echo "the sound is broken" >&2
		exit 1
	fi
done
PATH="${PATH#*:}"
exec ffmpeg "$@"
`)
	if err := os.Chmod(filepath.Join(dir, "ffmpeg"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(ffmpeg.FolderVariable, "")
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, ending := range []string{".mp4", ".wav"} {
		out := t.TempDir()
		code, said := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(out, "o"+ending))
		if code != exitRuntime {
			t.Errorf("%s: code %d", ending, code)
		}
		has(t, said, "aerender ERROR: Could not read from source: mixing sound: the sound is broken\n")
		if entries, _ := os.ReadDir(out); len(entries) != 0 {
			t.Errorf("%s: the folder holds %v", ending, entries)
		}
	}
	film := filepath.Join(t.TempDir(), "o.mp4")
	code, said := start(t, t.Context(), "-project", project, "-comp", "main", "-output", film, "-continueOnMissingFootage")
	if code != exitDone {
		t.Fatal(said)
	}
	has(t, said, "WARNING:After Effects warning: the film has no sound: mixing sound: the sound is broken\n")
	if s := look(t, film); len(s) != 1 {
		t.Errorf("streams %+v", s)
	}
}
