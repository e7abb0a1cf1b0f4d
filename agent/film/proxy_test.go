package film

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// pictureOf is a frame of a film.
func pictureOf(t *testing.T, path string, frame int) image.Image {
	t.Helper()
	out := makeFile(t, "-i", path, "-vf", fmt.Sprintf(`select=eq(n\,%d)`, frame), "-frames:v", "1", filepath.Join(t.TempDir(), "frame.png"))
	in, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	picture, err := png.Decode(in)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func bright(p image.Image, x, y int) int {
	r, g, b, _ := p.At(x, y).RGBA()
	return int(r+g+b) / 3 >> 8
}

func near(t *testing.T, what string, got, want int) {
	t.Helper()
	if got < want-8 || got > want+8 {
		t.Errorf("%s is %d, want about %d", what, got, want)
	}
}

func TestProxiesPlayEverywhereFrameByFrame(t *testing.T) {
	dir := t.TempDir()
	// Frame n is as bright as 20 n: what each frame shows says its number.
	pro := makeFile(t, "-f", "lavfi", "-i", "color=black:s=1920x1080:r=30000/1001:d=0.4,format=gbrp,geq=r='20*N':g='20*N':b='20*N'", "-f", "lavfi", "-i", "sine=440:d=0.4", "-c:v", "prores_ks", "-pix_fmt", "yuv422p10le", "-colorspace", "bt709", filepath.Join(dir, "a.mov"))
	info, err := Probe(t.Context(), pro)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "proxy.mp4")
	if err := Proxy(t.Context(), Shown{Path: pro, Info: info}, dir, out); err != nil {
		t.Fatal(err)
	}
	made, err := Probe(t.Context(), out)
	if err != nil || made.Codec != "h264" || made.PixFmt != "yuv420p" || made.Matrix != "bt709" || made.Width != 1280 || made.Height != 720 || made.Frames != info.Frames || !made.Audio {
		t.Fatalf("the proxy is %+v of %+v, %v", made, info, err)
	}
	for _, n := range []int{0, 5, 11} {
		near(t, fmt.Sprint("frame ", n), bright(pictureOf(t, out, n), 100, 100), 20*n)
	}
}

func TestProxiesDrawTransparencyOnACheckerboard(t *testing.T) {
	dir := t.TempDir()
	// The left half is white, the right one transparent.
	pro := makeFile(t, "-f", "lavfi", "-i", "color=white:s=320x180:r=25:d=0.2,format=rgba,geq=r=255:g=255:b=255:a='if(lt(X,160),255,0)'", "-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le", filepath.Join(dir, "a.mov"))
	info, err := Probe(t.Context(), pro)
	if err != nil || !info.Alpha {
		t.Fatalf("%+v, %v", info, err)
	}
	out := filepath.Join(dir, "proxy.mp4")
	if err := Proxy(t.Context(), Shown{Path: pro, Info: info}, dir, out); err != nil {
		t.Fatal(err)
	}
	made, err := Probe(t.Context(), out)
	if err != nil || made.Frames != 5 || made.Width != 320 || made.Height != 180 {
		t.Fatalf("the proxy is %+v, %v", made, err)
	}
	last := pictureOf(t, out, 4)
	near(t, "what is opaque", bright(last, 60, 90), 255)
	near(t, "a dark square", bright(last, 246, 6), 44)
	near(t, "a light square", bright(last, 258, 6), 58)
}

func TestProxiesOfSequencesHaveTheRateOfTheirComposition(t *testing.T) {
	dir := t.TempDir()
	stills := filepath.Join(dir, "it's out")
	if err := os.Mkdir(stills, 0o700); err != nil {
		t.Fatal(err)
	}
	makeFile(t, "-f", "lavfi", "-i", "color=black:s=101x75:r=24:d=0.5,format=gbrp,geq=r='20*N':g='20*N':b='20*N'", "-start_number", "5", filepath.Join(stills, "frame_%05d.png"))
	files, info, err := CheckStills(t.Context(), stills, "frame_", "png", Want{Frames: 12})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "proxy.mp4")
	if err := Proxy(t.Context(), Shown{Stills: files, Info: info, Rate: 24}, dir, out); err != nil {
		t.Fatal(err)
	}
	made, err := Probe(t.Context(), out)
	if err != nil || made.Frames != 12 || made.FrameRate != 24 || made.Audio || made.Width != 102 || made.Height != 76 {
		t.Fatalf("the proxy is %+v, %v", made, err)
	}
	near(t, "the last frame", bright(pictureOf(t, out, 11), 50, 30), 220)
	if err := Proxy(t.Context(), Shown{Stills: files, Info: info}, dir, out); err == nil {
		t.Error("a sequence without a rate became a film")
	}
}
