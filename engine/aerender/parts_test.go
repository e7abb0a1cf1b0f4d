package aerender

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/ffmpeg"
	"overcrank/frames"
)

// runs is start that has to end well.
func runs(t testing.TB, args ...string) {
	t.Helper()
	if code, out := start(t, t.Context(), args...); code != 0 {
		t.Fatalf("exit code %d of %v:\n%s", code, args, out)
	}
}

// parts renders ranges into files of frames that begin at the given frames and end before the next, the last at end, and gives all
// frames as one file.
func parts(t testing.TB, project, comp, module string, end int, begins ...int) string {
	t.Helper()
	dir := t.TempDir()
	whole, err := os.Create(filepath.Join(dir, "whole.frames"))
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	var w *frames.Writer
	for i, from := range begins {
		to := end
		if i+1 < len(begins) {
			to = begins[i+1] - 1
		}
		part := filepath.Join(dir, fmt.Sprintf("%d.frames", i))
		runs(t, "-project", project, "-comp", comp, "-OMtemplate", module, "-output", part, "-s", strconv.Itoa(from), "-e", strconv.Itoa(to))
		eachFrame(t, part, func(head frames.Head, number int, pix []byte) {
			if w == nil {
				if w, err = frames.NewWriter(whole, head); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Write(number, pix); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return whole.Name()
}

func eachFrame(t testing.TB, path string, do func(head frames.Head, number int, pix []byte)) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := frames.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		n, pix, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		do(r.Head(), n, pix)
	}
}

// decoded is a hash of every frame and packet of sound of a film, with its time.
func decoded(t testing.TB, film string) string {
	t.Helper()
	out, err := ffmpeg.Run(t.Context(), "ffmpeg", "-i", film, "-f", "framemd5", "-")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestFilmsPutTogetherAreThoseOfOneMachine(t *testing.T) {
	for _, c := range []struct{ module, ext string }{
		{"video_h264_vbr_15mbps", ".mp4"}, {"video_prores_422", ".mov"}, {"video_prores_4444", ".mov"},
	} {
		t.Run(c.module, func(t *testing.T) {
			p := sample()
			comp := p.Items[0].Comp
			comp.FrameRate, comp.FrameTicks, comp.TicksPerSecond = 24000.0/1001, 1001, 24000
			comp.Width, comp.Height = width+1, height+1 // odd, which H.264 pads
			p.Items[0].Comp.Layers[5].In = 0.7          // so that there is alpha before
			project, dir := lay(t, p), t.TempDir()
			whole, again, sound := filepath.Join(dir, "whole"+c.ext), filepath.Join(dir, "again"+c.ext), filepath.Join(dir, "sound.wav")
			runs(t, "-project", project, "-comp", "main", "-OMtemplate", c.module, "-output", whole, "-s", "3", "-e", "40")
			runs(t, "-project", project, "-comp", "main", "-OMtemplate", c.module, "-output", sound, "-s", "3", "-e", "40")
			all := parts(t, project, "main", c.module, 40, 3, 4, 17, 30)
			runs(t, "-assemble", all, "-audio", sound, "-OMtemplate", c.module, "-output", again, "-s", "3", "-e", "40")
			want, got := decoded(t, whole), decoded(t, again)
			if want != got {
				t.Errorf("put together:\n%s\nof one machine:\n%s", got, want)
			}
			if strings.Count(want, "\n0,") != 38 || !strings.Contains(want, "\n1,") {
				t.Errorf("the film holds\n%s", want)
			}
			a, err := os.ReadFile(whole)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(again); err != nil || !bytes.Equal(a, b) {
				t.Errorf("the files differ: %d and %d bytes, %v", len(a), len(b), err)
			}
		})
	}
}

func TestPicturesPutTogetherAreThoseOfOneMachine(t *testing.T) {
	project, dir := lay(t, sample()), t.TempDir()
	for _, c := range []struct{ module, ext string }{{"image_png", ".png"}, {"image_png_alpha", ".png"}, {"image_jpeg", ".jpg"}, {"image_tiff_alpha", ".tif"}} {
		runs(t, "-project", project, "-comp", "main", "-OMtemplate", c.module, "-output", filepath.Join(dir, c.module+"whole[###]"+c.ext), "-s", "8", "-e", "13")
		all := parts(t, project, "main", c.module, 13, 8, 11)
		runs(t, "-assemble", all, "-OMtemplate", c.module, "-output", filepath.Join(dir, c.module+"again[###]"+c.ext), "-s", "8", "-e", "13")
		for n := 8; n <= 13; n++ {
			a, errA := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%swhole%03d%s", c.module, n, c.ext)))
			b, errB := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%sagain%03d%s", c.module, n, c.ext)))
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("%s, frame %d: %d and %d bytes, %v, %v", c.module, n, len(a), len(b), errA, errB)
			}
		}
	}
}

// Whatever depends on frames before, such as films that are read on, kept surfaces, seeds and echoes of time, has to be the same
// when a machine begins in the middle.
func TestRealProjectsAreTheSameWhereverAMachineBegins(t *testing.T) {
	folder := aeptest.Samples(t)
	compared := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".aep", ".aepx", ".aet"}, strings.ToLower(filepath.Ext(path))) {
			return err
		}
		p, err := aep.Open(t.Context(), path, aep.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		for _, it := range p.Items {
			if it.Comp == nil || it.Comp.FrameRate <= 0 || it.Comp.Width*it.Comp.Height > 1300*1300 {
				continue
			}
			if last := int(it.Comp.Duration*it.Comp.FrameRate) - 1; last >= 12 && sameFromTheMiddle(t, path, it, min(last, 40)) {
				compared++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if compared < 5 {
		t.Errorf("only %d compositions could be compared", compared)
	}
	t.Logf("%d compositions compared", compared)
}

// sameFromTheMiddle compares the last frames up to end when they are rendered after others and when they come first.
func sameFromTheMiddle(t *testing.T, path string, it *aep.Item, end int) bool {
	t.Helper()
	dir := t.TempDir()
	shown := int(it.Comp.DisplayStart*it.Comp.FrameRate + 0.5)
	middle := max(end-4, 0)
	sums := func(name string, from int) map[int][32]byte {
		out := filepath.Join(dir, name+".frames")
		code, _ := start(t, t.Context(), "-project", path, "-comp", it.Name, "-output", out, "-continueOnMissingFootage", "-OMtemplate", "video_prores_4444",
			"-s", strconv.Itoa(from+shown), "-e", strconv.Itoa(end+shown))
		if code != 0 {
			return nil
		}
		found := map[int][32]byte{}
		eachFrame(t, out, func(_ frames.Head, number int, pix []byte) { found[number] = sha256.Sum256(pix) })
		return found
	}
	before, alone := sums("before", max(0, middle-8)), sums("alone", middle)
	if len(alone) == 0 {
		return false
	}
	for n, sum := range alone {
		if before[n] != sum {
			t.Errorf("%s, composition %q: frame %d depends on where the machine began", filepath.Base(path), it.Name, n)
		}
	}
	return true
}

func TestSingleFramesComeFromOneRun(t *testing.T) {
	p := sample()
	p.Items[0].Comp.DisplayStart = 4 // frame 100
	project, dir := lay(t, p), t.TempDir()
	runs(t, "-project", project, "-comp", "main", "-OMtemplate", "image_png", "-output", filepath.Join(dir, "f_[####].png"), "-stills", "100,124,149")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 || entries[0].Name() != "f_0100.png" || entries[1].Name() != "f_0124.png" || entries[2].Name() != "f_0149.png" {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	for _, wrong := range []string{"", "5,5", "9,2", "x"} {
		if code, _ := start(t, t.Context(), "-stills", wrong); code != exitUsage {
			t.Errorf("-stills %q ended with %d", wrong, code)
		}
	}
	if code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(dir, "g_[####].png"), "-stills", "20"); code != exitRuntime || !strings.Contains(out, "frame 20 is not in the composition") {
		t.Errorf("a frame that is not there ended with %d:\n%s", code, out)
	}
}

func TestSilentCompositionsHaveAnEmptySound(t *testing.T) {
	p := sample()
	p.Items[0].Comp.Layers = p.Items[0].Comp.Layers[5:]
	project, dir := lay(t, p), t.TempDir()
	sound, film := filepath.Join(dir, "sound.wav"), filepath.Join(dir, "film.mp4")
	runs(t, "-project", project, "-comp", "main", "-output", sound)
	if info, err := os.Stat(sound); err != nil || info.Size() != 44 {
		t.Fatalf("%v, %v", info, err)
	}
	runs(t, "-project", project, "-comp", "main", "-output", film)
	if streams := look(t, film); len(streams) != 1 {
		t.Errorf("the film of one machine has the streams %+v", streams)
	}
}

func TestFramesThatAreNotThereAreNamed(t *testing.T) {
	project, dir := lay(t, sample()), t.TempDir()
	all := parts(t, project, "main", "video_h264_vbr_15mbps", 9, 0)
	film := filepath.Join(dir, "film.mp4")
	for args, want := range map[[2]string]string{
		{"0", "10"}: "frame 10 is missing", {"1", "9"}: "frame 1 is missing: the next one is frame 0",
	} {
		code, out := start(t, t.Context(), "-assemble", all, "-output", film, "-s", args[0], "-e", args[1])
		if code != exitRender || !strings.Contains(out, want) {
			t.Errorf("%v ended with %d:\n%s", args, code, out)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("what is left: %v, %v", entries, err)
	}
}
