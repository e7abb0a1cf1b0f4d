package web

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"io"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/image/draw"
	"golang.org/x/sync/singleflight"

	"overcrank/api/answer"
	"overcrank/coordinator/files"
	"overcrank/web/page"
)

const (
	// mostSmall is how many small pictures are kept: of some 3 KB each.
	mostSmall = 2000
	// mostShrunk bounds what is made smaller, in bytes and in pixels. Machines send pictures, and not all of them are the farm's own.
	mostShrunk, mostShrunkPixels = 1 << 20, 4 << 20
	smallQuality                 = 80 // of JPEG, as thumbnails have it
)

// smallPictures keeps pictures as lists show them: a list of fifty jobs had half a megabyte of pictures that were drawn a quarter as wide as they are.
type smallPictures struct {
	kept   *lru.Cache[string, []byte]
	making *singleflight.Group // those who watch a list ask for the same pictures at once
}

func newSmallPictures() smallPictures {
	kept, _ := lru.New[string, []byte](mostSmall) // fails only for sizes below one
	return smallPictures{kept, new(singleflight.Group)}
}

// answer gives a picture as it is, or as small as the address asks for. It closes the file.
func (s smallPictures) answer(ctx context.Context, c *fiber.Ctx, f *files.File) error {
	if c.Query(page.SmallQuery) == "" || f.Size > mostShrunk {
		return answer.File(c, f, answer.FileOptions{})
	}
	small, err := s.of(ctx, utils.CopyString(c.Path())+f.ETag, f)
	if err != nil {
		return err
	}
	asked := *f
	asked.ReadSeekCloser, asked.Size = readOnly{bytes.NewReader(small)}, int64(len(small))
	asked.ETag = `"` + page.SmallQuery + "-" + f.ETag[min(1, len(f.ETag)):]
	return answer.File(c, &asked, answer.FileOptions{})
}

// of is a picture, smaller when it can be made so. It closes the file.
func (s smallPictures) of(ctx context.Context, key string, f *files.File) ([]byte, error) {
	if small, ok := s.kept.Get(key); ok {
		return small, f.Close()
	}
	mine := false
	made, err, _ := s.making.Do(key, func() (any, error) {
		mine = true
		full, err := f.ReadAll(ctx)
		if err != nil {
			return nil, err
		}
		small := shrunk(full)
		s.kept.Add(key, small)
		return small, nil
	})
	if !mine {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, err
	}
	return made.([]byte), nil
}

// shrunk is a JPEG as wide as lists show it, or as it was when it is small already, or no picture that may be decoded.
func shrunk(full []byte) []byte {
	config, err := jpeg.DecodeConfig(bytes.NewReader(full))
	if err != nil || config.Width <= page.SmallWidth || config.Width*config.Height > mostShrunkPixels {
		return full
	}
	picture, err := jpeg.Decode(bytes.NewReader(full))
	if err != nil {
		return full
	}
	small := image.NewRGBA(image.Rect(0, 0, page.SmallWidth, max(1, page.SmallWidth*config.Height/config.Width)))
	draw.BiLinear.Scale(small, small.Rect, picture, picture.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: smallQuality}); err != nil || out.Len() > len(full) {
		return full
	}
	return out.Bytes()
}

// readOnly is a picture in memory, which needs no closing.
type readOnly struct{ io.ReadSeeker }

func (readOnly) Close() error { return nil }
