//go:build unix

package aerender

import (
	"bytes"
	"path/filepath"
	"syscall"
	"testing"

	"overcrank/aep"
	"overcrank/ffmpeg"
)

// BenchmarkFilm renders five layers at 1280 x 720, a film among them, into H.264: the whole way from project to file.
func BenchmarkFilm(b *testing.B) {
	p := sample()
	c := p.Items[0].Comp
	c.Width, c.Height = 1280, 720
	project := lay(b, p)
	p.Items[1].Footage.Width, p.Items[1].Footage.Height = 1280, 720
	big := aep.Footage{Width: 1280, Height: 720, Duration: 8, FrameRate: 25, HasVideo: true, Format: "MPEG"}
	p.Items[4] = file(idFilm, "big.mp4", big)
	c.Duration, c.WorkAreaDuration = 8, 8
	for _, l := range c.Layers {
		l.Out = 8
		if l.Name == "film" {
			l.Props.Children = nil
		}
	}
	dir := filepath.Dir(project)
	if _, err := ffmpeg.Run(b.Context(), "ffmpeg", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=8", "-c:v", "libx264", "-preset", "veryfast",
		"-pix_fmt", "yuv420p", filepath.Join(dir, "(Footage)", "big.mp4")); err != nil {
		b.Fatal(err)
	}
	var file bytes.Buffer
	if err := aep.Write(&file, p); err != nil {
		b.Fatal(err)
	}
	put(b, project, file.String())
	asOnAFarm(b)
	own, children := processors(b, syscall.RUSAGE_SELF), processors(b, syscall.RUSAGE_CHILDREN)
	for b.Loop() {
		if code, out := start(b, b.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(dir, "o.mp4")); code != 0 {
			b.Fatal(out)
		}
	}
	b.ReportMetric((processors(b, syscall.RUSAGE_SELF)-own).Seconds()/float64(b.N), "engine-cpu-s/op")
	b.ReportMetric((processors(b, syscall.RUSAGE_CHILDREN)-children).Seconds()/float64(b.N), "ffmpeg-cpu-s/op")
	b.ReportMetric(200*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}
