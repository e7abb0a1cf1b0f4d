package film

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"overcrank/ffmpeg"
	"overcrank/frames"
)

// pictureIn writes a picture with gradients and noise in an ffmpeg format of pixels, with a compression of TIFF.
func pictureIn(t *testing.T, pixels, compression string) string {
	t.Helper()
	return makeFile(t, "-f", "lavfi", "-i", "testsrc2=size=68x42:rate=1,format=rgba64le,geq=r='random(1)*65535':g='g(X,Y)':b='b(X,Y)':a='X*900'",
		"-frames:v", "1", "-pix_fmt", pixels, "-compression_algo", compression, filepath.Join(t.TempDir(), "picture.tif"))
}

func TestPicturesAreReadAsFFmpegReadsThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pixels, compression string
		to                  frames.Format
	}{
		{"rgb24", "raw", frames.RGB24}, {"rgb24", "lzw", frames.ARGB}, {"rgb24", "deflate", frames.RGBA},
		{"rgba", "raw", frames.ARGB}, {"rgba", "lzw", frames.RGBA}, {"rgba", "deflate", frames.RGB24},
		{"rgb48le", "lzw", frames.RGB48}, {"rgb48le", "raw", frames.RGBA64}, {"rgba64le", "lzw", frames.RGBA64}, {"rgba64le", "raw", frames.RGB48},
	} {
		t.Run(fmt.Sprintf("%s %s as %s", c.pixels, c.compression, c.to), func(t *testing.T) {
			path, head := pictureIn(t, c.pixels, c.compression), frames.Head{Width: 68, Height: 42, Format: c.to}
			got, ok := direct(path, head)
			if !ok {
				t.Fatal("the file was left to ffmpeg")
			}
			want, err := decodedPixels(t.Context(), path, head)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("it has other pixels than ffmpeg reads: %v", err)
			}
		})
	}
}

func TestWhatIsNoWholePictureOfTheSizeIsRefused(t *testing.T) {
	t.Parallel()
	path := pictureIn(t, "rgb24", "raw")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var unread *Unreadable
	for length := range len(whole) {
		if length%97 != 0 {
			continue
		}
		if err := os.WriteFile(path, whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := direct(path, frames.Head{Width: 68, Height: 42, Format: frames.RGB24}); ok {
			t.Errorf("a file of %d of %d bytes was taken", length, len(whole))
		}
	}
	if _, err := Pixels(t.Context(), path, frames.Head{Width: 68, Height: 42, Format: frames.RGB24}); !errors.As(err, new(*Wrong)) && !errors.As(err, &unread) {
		t.Errorf("of half a picture: %v", err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Pixels(t.Context(), path, frames.Head{Width: 68, Height: 41, Format: frames.RGB24}); !errors.As(err, new(*Wrong)) {
		t.Errorf("of a picture of another size: %v", err)
	}
	if pix, err := Pixels(t.Context(), path, frames.Head{Width: 68, Height: 42, Format: frames.RGB48}); err != nil || len(pix) != 68*42*6 {
		t.Errorf("a picture of another depth has %d bytes, %v", len(pix), err)
	}
}

func BenchmarkPictureDirect(b *testing.B) {
	path := filepath.Join(b.TempDir(), "picture.tif")
	if _, err := ffmpeg.Run(b.Context(), "ffmpeg", "-f", "lavfi", "-i", "testsrc2=size=1920x1080", "-frames:v", "1", "-pix_fmt", "rgba", "-compression_algo", "lzw", path); err != nil {
		b.Skip(err)
	}
	head := frames.Head{Width: 1920, Height: 1080, Format: frames.ARGB}
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			if _, ok := direct(path, head); !ok {
				b.Fatal("left to ffmpeg")
			}
		}
	})
	b.Run("ffmpeg", func(b *testing.B) {
		for b.Loop() {
			if _, err := decodedPixels(b.Context(), path, head); err != nil {
				b.Fatal(err)
			}
		}
	})
}
