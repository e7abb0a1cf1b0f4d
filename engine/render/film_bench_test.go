//go:build unix

package render_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// Frames of 1280x720 of a full-HD film that is seen at a quarter of its size, at half of it, and at 2/3 in a preview of half size and whole. One
// operation is one frame; the time of processors includes that of ffmpeg. It needs as many frames as -benchtime says, 400 at most.
func BenchmarkFilm720p(b *testing.B) {
	path := filepath.Join(b.TempDir(), "film.mp4")
	const source = "testsrc2=s=1920x1080:r=25:d=16,noise=alls=3:allf=t"
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", path).CombinedOutput(); err != nil {
		b.Skipf("ffmpeg can't make a film: %v: %s", err, out)
	}
	for _, c := range []struct {
		name           string
		percent, scale float64
	}{{"quarter", 25, 1}, {"half", 50, 1}, {"preview", 200.0 / 3, 0.5}, {"fitted", 200.0 / 3, 1}} {
		b.Run(c.name, func(b *testing.B) {
			p := build(b)
			film := p.item("film.mp4", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
				Kind: aep.FootageFile, Width: 1920, Height: 1080, Duration: 16, FrameRate: 25, HasVideo: true, File: aep.FileReference{Resolved: path},
			}})
			comp := p.comp("main", 1280, 720)
			comp.Comp.Duration, comp.Comp.FrameRate = 16, 25
			p.layer(comp, film, func(l *aep.Layer) {
				l.Out = 16
				transform(l, value("ADBE Scale", c.percent, c.percent))
			})
			used := processors(b)
			b.ResetTimer()
			r := p.renderer(comp, render.Options{Background: true, Scale: c.scale, Footage: openFile})
			for done := 0; done < b.N; done += 400 {
				if err := r.Frames(context.Background(), 0, min(b.N-done, 400)-1, 1, func(int, *raster.Image) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			if err := r.Close(); err != nil { // which waits for ffmpeg
				b.Fatal(err)
			}
			b.ReportMetric((processors(b)-used).Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}

// processors is the time of processors that this process and those that it has waited for have used.
func processors(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
