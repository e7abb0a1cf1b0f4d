package page

import (
	"strings"
	"testing"

	"overcrank/farm"
)

func TestAFilmThatBrowsersDoNotPlayHasAPictureAndASentence(t *testing.T) {
	for name, words := range map[string]string{"J-x.mov": "ProRes does not play in browsers", "J-x.zip": "This kind of file does not play in browsers"} {
		j := Job{
			Job:    farm.Job{ID: "J", Status: farm.JobFinished, OutputName: name, Output: &farm.OutputRef{}},
			Output: "/outputs/" + name, Thumbs: []int{0, 10, 20},
		}
		page := drawn(t, farm.RoleViewer, j)
		for _, w := range []string{words, `src="` + thumbPath(j.Job, 10) + `"`, "Download"} {
			if !strings.Contains(page, w) {
				t.Errorf("%s: the page does not say %q", name, w)
			}
		}
		if strings.Contains(page, "<video") {
			t.Errorf("%s: the page would play it", name)
		}
	}
}

func TestAFinishedFilmHasAsManyFramesAsItsFile(t *testing.T) {
	j := Job{
		Job: farm.Job{ID: "J", Status: farm.JobFinished, OutputName: "J-x.mp4", Output: &farm.OutputRef{Frames: 150}}, Output: "/outputs/J-x.mp4", Thumbs: []int{0, 14, 140},
	}
	if first, total := j.Frames(); first != 0 || total != 150 {
		t.Errorf("it has %d frames from %d on", total, first)
	}
	j.FramesTotal, j.Job.FirstFrame = 40, 10
	if first, total := j.Frames(); first != 10 || total != 131 {
		t.Errorf("a job that knows its frames has %d from %d on", total, first)
	}
}
