package web

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/files"
)

// jpegOf is a picture in two colours, left and right.
func jpegOf(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{R: uint8(255 * (2 * x / width)), B: 100, A: 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPicturesOfListsAreSmall(t *testing.T) {
	for _, tt := range []struct {
		name          string
		picture       []byte
		address       string
		width, height int // 0 for the file as it is
	}{
		{"as it is", jpegOf(t, 640, 360), "/picture", 640, 360},
		{"small", jpegOf(t, 640, 360), "/picture?small=1", 160, 90},
		{"a tall one", jpegOf(t, 320, 640), "/picture?small=1", 160, 320},
		{"small already", jpegOf(t, 120, 90), "/picture?small=1", 120, 90},
		{"a hair high", jpegOf(t, 4000, 4), "/picture?small=1", 160, 1},
		{"too many pixels", jpegOf(t, 4000, 2000), "/picture?small=1", 4000, 2000},
		{"no picture", []byte("no picture"), "/picture?small=1", 0, 0},
		{"cut off", jpegOf(t, 640, 360)[:2000], "/picture?small=1", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "7.jpg")
			if err := os.WriteFile(path, tt.picture, 0o600); err != nil {
				t.Fatal(err)
			}
			app, s := fiber.New(), newSmallPictures()
			app.Get("/picture", func(c *fiber.Ctx) error {
				f, err := os.Open(path)
				if err != nil {
					return err
				}
				info, err := f.Stat()
				if err != nil {
					return err
				}
				return s.answer(c.Context(), c, files.NewPicture(&files.Reader{ReadSeekCloser: f, Object: files.Object{Size: info.Size(), Modified: info.ModTime()}}, "7.jpg"))
			})
			var etag string
			for range 2 { // made, then kept
				a, err := app.Test(httptest.NewRequest(http.MethodGet, tt.address, nil), -1)
				if err != nil {
					t.Fatal(err)
				}
				var body bytes.Buffer
				if _, err := body.ReadFrom(a.Body); err != nil || a.StatusCode != http.StatusOK {
					t.Fatalf("status %d, %v", a.StatusCode, err)
				}
				etag = a.Header.Get("ETag")
				config, err := jpeg.DecodeConfig(bytes.NewReader(body.Bytes()))
				switch {
				case tt.width == 0 && !bytes.Equal(body.Bytes(), tt.picture):
					t.Errorf("what is no picture has %d bytes instead of %d", body.Len(), len(tt.picture))
				case tt.width != 0 && (err != nil || config.Width != tt.width || config.Height != tt.height):
					t.Errorf("%d × %d pixels (%v) instead of %d × %d", config.Width, config.Height, err, tt.width, tt.height)
				}
			}
			again := httptest.NewRequest(http.MethodGet, tt.address, nil)
			again.Header.Set("If-None-Match", etag)
			if a, err := app.Test(again, -1); err != nil || a.StatusCode != http.StatusNotModified {
				t.Errorf("asked with its ETag %s: %d, %v", etag, a.StatusCode, err)
			}
		})
	}
}

func TestAReplacedPictureIsMadeSmallAnew(t *testing.T) {
	s := newSmallPictures()
	for i, picture := range [][]byte{jpegOf(t, 640, 360), jpegOf(t, 320, 320)} {
		small, err := s.of(t.Context(), "/7.jpg"+[]string{"first", "second"}[i], &files.File{ReadSeekCloser: readOnly{bytes.NewReader(picture)}, Size: int64(len(picture))})
		if err != nil {
			t.Fatal(err)
		}
		if config, err := jpeg.DecodeConfig(bytes.NewReader(small)); err != nil || config.Height != []int{90, 160}[i] {
			t.Errorf("picture %d is %d high, %v", i, config.Height, err)
		}
	}
}

func BenchmarkSmallPicture(b *testing.B) {
	var out bytes.Buffer
	img := image.NewRGBA(image.Rect(0, 0, 640, 360))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i >> 7)
	}
	if err := jpeg.Encode(&out, img, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		shrunk(out.Bytes())
	}
}
