//go:build linux

package films_test

import (
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
)

func TestClipsAndNestedJobsAreJoined(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	clip := filepath.Join(t.TempDir(), "red.mp4")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=320x180:r=25:d=0.59", "-pix_fmt", "yuv420p", clip).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	red, err := os.ReadFile(clip)
	if err != nil {
		t.Fatal(err)
	}
	nested := map[string]any{
		"type": "job", "template": map[string]string{"id": template, "composition": titlecard.Composition}, "settings": map[string]any{"frames": []int{0, 9}, "codec": "video_prores_422"},
	}
	job, err := f.Join(t.Context(), map[string]any{"assets": []any{
		map[string]any{"type": "video", "src": "data:video/mp4;base64," + base64.StdEncoding.EncodeToString(red)}, nested,
		map[string]any{"type": "video", "src": f.HandOver(clip)},
	}, "settings": map[string]string{"preset": "mp4"}})
	if err != nil {
		t.Fatal(err)
	}
	done := f.Finished(job.ID)
	codec, width, height, frames, _ := farmtest.Probe(t, f.Fetch(done))
	if codec != "h264" || width != 320 || height != 180 || frames != 15+10+15 {
		t.Errorf("the film is %s, %d x %d, %d frames\n%s", codec, width, height, frames, f.LogOf(job.ID))
	}
	if log := f.LogOf(job.ID); !strings.Contains(log, "conformed to the first") {
		t.Errorf("the log says\n%s", log)
	}
}

func TestAClipThatCannotBeReadFailsTheJoinByNumber(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job, err := f.Join(t.Context(), map[string]any{"assets": []any{map[string]any{"type": "video", "src": "data:video/mp4,nothing"}}})
	if err != nil {
		t.Fatal(err)
	}
	if job = f.Ended(job.ID); job.Status != "error" || !strings.HasPrefix(job.Stats.Error, "Asset cannot be read: ") || !strings.HasSuffix(job.Stats.Error, "(asset 0)") {
		t.Errorf("the job is %s: %q", job.Status, job.Stats.Error)
	}
}
