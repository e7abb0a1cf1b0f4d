package encoding

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm/codec"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding/encodingtest"
)

var update = flag.Bool("update", false, "write the golden file")

// TestCommandLines holds what ffmpeg is told for each codec and encoder. Those of macOS and Windows cannot run on Linux.
func TestCommandLines(t *testing.T) {
	var out bytes.Buffer
	line := func(name string, w Way) {
		fmt.Fprintf(&out, "%s, %s\n  -vf %s\n  %s\n", name, w.Encoder, w.Filter(), strings.Join(w.Video(AtEase), " "))
		if inHaste := w.Video(InHaste); !slices.Equal(inHaste, w.Video(AtEase)) {
			fmt.Fprintf(&out, "  in haste %s\n", strings.Join(inHaste, " "))
		}
	}
	for _, w := range All() {
		for _, e := range w.encoders() {
			chosen, ok := w.On([]string{e})
			if !ok {
				t.Errorf("%s cannot be written with %s", w.Name, e)
			}
			line(w.Name, chosen)
		}
	}
	for _, e := range h264Encoders() {
		chosen, _ := Joined(1920, 1080, 25).On([]string{e})
		line("clips of 1920×1080 that are joined", chosen)
	}
	const golden = "testdata/commands.golden"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("ffmpeg is told something else than %s has; -update if that is meant:\n%s", golden, out.Bytes())
	}
}

func TestTheBestEncoderThatAMachineHasIsChosen(t *testing.T) {
	film, _ := Find(DefaultFilm)
	prores, _ := Find(ProRes422)
	tiff, _ := Find(TIFF)
	for _, tt := range []struct {
		way  Way
		have string
		want string // "" for none
	}{
		{film, "png libopenh264 libx264", x264},
		{film, "libopenh264 h264_mf", mediaFoundation},
		{film, "libopenh264 h264_videotoolbox", videoToolbox},
		{film, "libopenh264", openH264},
		{film, "png mjpeg prores_ks", ""},
		{prores, "libx264 prores_ks", "prores_ks"},
		{prores, "libx264", ""},
	} {
		got, ok := tt.way.On(strings.Fields(tt.have))
		if ok != (tt.want != "") || ok && got.Encoder != tt.want {
			t.Errorf("%s with %s: %s, %v", tt.way.Name, tt.have, got.Encoder, ok)
		}
	}
	if _, ok := tiff.On(nil); !ok {
		t.Error("what the engine writes itself needs no encoder")
	}
	if got := Codecs([]string{"png", "libopenh264"}); len(got) != 9 || slices.Contains(got, ProRes422) {
		t.Errorf("codecs %v", got)
	}
}

// TestAMachineWithoutX264 has ffmpeg behind a script that hides x264, as builds under the LGPL do.
func TestAMachineWithoutX264(t *testing.T) {
	if _, err := ffmpeg.Path("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed")
	}
	t.Setenv(ffmpeg.FolderVariable, encodingtest.WithoutX264(t))
	have, err := Available(t.Context())
	if err != nil || slices.Contains(have, x264) || !slices.Contains(have, "prores_ks") {
		t.Fatalf("encoders %v, %v", have, err)
	}
	film, _ := Find(DefaultFilm)
	if chosen, err := film.Here(t.Context(), Told()); slices.Contains(have, openH264) {
		if err != nil || chosen.Encoder != openH264 {
			t.Errorf("%s, %v", chosen.Encoder, err)
		}
	} else if !errors.Is(err, ErrNoEncoder) {
		t.Errorf("%s, %v", chosen.Encoder, err)
	}
	t.Setenv(Variable, "png,libx264")
	if chosen, err := film.Here(t.Context(), Told()); err != nil || chosen.Encoder != x264 {
		t.Errorf("the engine does not believe its agent: %s, %v", chosen.Encoder, err)
	}
}

// TestEveryEncoderKeepsColoursAndRate writes films with each encoder of H.264 that works on this machine.
func TestEveryEncoderKeepsColoursAndRate(t *testing.T) {
	have, err := Available(t.Context())
	if errors.Is(err, ffmpeg.ErrMissing) {
		t.Skip("ffmpeg is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, encoder := range h264Encoders() {
		for _, c := range codec.All() {
			if c.Mbps == 0 || encoder == x264 && c.Mbps > 5 {
				continue // package engine/encode has all rates of x264
			}
			t.Run(encoder+" "+c.Name, func(t *testing.T) {
				if !slices.Contains(have, encoder) {
					t.Skipf("this machine's ffmpeg has no %s that works", encoder)
				}
				t.Parallel()
				way, _ := wayOf(c).On([]string{encoder})
				bars, rich := filepath.Join(t.TempDir(), "bars.mp4"), filepath.Join(t.TempDir(), "rich.mp4")
				write(t, way, bars, encodingtest.Raw(false, 5))
				encodingtest.Check(t, bars, false)
				const seconds = 2
				write(t, way, rich, blocks(25*seconds, map[int]int{1: 32, 5: 16, 15: 8, 40: 4}[c.Mbps]))
				got, limit := encodingtest.Look(t, rich).Bits(), float64(c.Mbps)*1e6
				most := 1.1
				if !c.Constant {
					most += 2.0 / seconds // the decoder's buffer holds two seconds, and is full at first
				}
				least := 0.5
				if c.Constant && c.Mbps <= 5 {
					least = 0.9 // with more the pictures are as good as can be, and OpenH264 does not pad
				}
				if got > most*limit || got < least*limit {
					t.Errorf("%.2f Mbit/s, of %d", got/1e6, c.Mbps)
				}
			})
		}
	}
}

// write encodes frames of the bars' size.
func write(t *testing.T, w Way, path string, frames []byte) {
	t.Helper()
	args := []string{
		"-f", "rawvideo", "-pix_fmt", "rgba", "-s", fmt.Sprintf("%dx%d", encodingtest.Width, encodingtest.Height), "-framerate", "25", "-i", "pipe:0",
		"-vf", w.Filter(),
	}
	cmd, tail := ffmpeg.Command(t.Context(), "ffmpeg", append(append(args, w.Video(InHaste)...), path)...)
	cmd.Stdin = bytes.NewReader(frames)
	if err := ffmpeg.Failure(t.Context(), cmd.Run(), tail); err != nil {
		t.Fatal(err)
	}
}

// blocks are frames of squares in grey, of so many pixels, whose shades change all the time. The smaller, the more bits they take.
func blocks(frames, size int) []byte {
	out := make([]byte, 0, frames*4*encodingtest.Width*encodingtest.Height)
	for f := range uint32(frames) {
		for y := range encodingtest.Height {
			for x := range encodingtest.Width {
				n := (uint32(x/size)*73856093 ^ uint32(y/size)*19349663 ^ f*83492791) * 2654435769
				shade := byte(64 + n>>25)
				out = append(out, shade, shade, shade, 255)
			}
		}
	}
	return out
}
