//go:build linux

package films_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/aep"
	"overcrank/cmd/overcrank/titlecard"
)

func TestFramesCountFromZeroWhateverTheTimecodeBeginsWith(t *testing.T) {
	t.Parallel()
	project := titlecard.Project()
	for _, item := range project.Items {
		if item.Comp != nil {
			item.Comp.DisplayStart = 1 // second: After Effects calls the first frame 25
		}
	}
	path := filepath.Join(t.TempDir(), "strip.aep")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := aep.Write(file, project); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("aep", path).ID
	submit := func(settings map[string]any) string {
		job, err := f.Submit(t.Context(), map[string]any{
			"template": map[string]string{"id": template, "composition": titlecard.Strip}, "settings": settings,
		})
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	stills := submit(map[string]any{"type": "image", "frames": []int{2, 4}})
	last := submit(map[string]any{"type": "image", "frames": titlecard.Frames - 1})
	film := submit(map[string]any{"frames": []int{0, 3}, "codec": "video_h264_vbr_1mbps"})

	f.Finished(last)
	if _, _, _, frames, _ := farmtest.Probe(t, f.Fetch(f.Finished(film))); frames != 4 {
		t.Errorf("the film of the frames 0 to 3 has %d frames", frames)
	}
	packed, err := zip.OpenReader(f.Fetch(f.Finished(stills)))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	var names []string
	for _, still := range packed.File {
		names = append(names, still.Name)
	}
	if want := []string{"frame_00002.png", "frame_00003.png", "frame_00004.png"}; !slices.Equal(names, want) {
		t.Errorf("the pictures are called %v, not %v", names, want)
	}
}
