package farmv1

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/coordinator/files"
	"overcrank/farm"
)

// thumbnailBody is a small picture of one rendered frame.
type thumbnailBody struct {
	Frame int    `json:"frame"` // 0-based, in the composition
	Size  int64  `json:"size"`  // bytes
	URL   string `json:"url"`
}

func (h jobHandlers) listThumbnails(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	id := c.Params("id")
	list, err := h.results.Thumbnails(ctx, p, id)
	if err != nil {
		return err
	}
	return answer.OK(c, pictureShapes(list, "/api/farm/v1/jobs/"+id+"/thumbnails/%d.jpg"))
}

// pictureShapes shows pictures, each at an address of a form.
func pictureShapes(list []farm.Thumbnail, address string) []thumbnailBody {
	out := make([]thumbnailBody, len(list))
	for i, t := range list {
		out[i] = thumbnailBody{Frame: t.Frame, Size: t.Size, URL: fmt.Sprintf(address, t.Frame)}
	}
	return out
}

// pictured is the frame whose picture is asked for.
func pictured(c *fiber.Ctx) (int, error) {
	frame, err := strconv.Atoi(c.Params("frame"))
	if err != nil || frame < 0 {
		return 0, farm.Errorf(farm.CodeNotFound, "there is no picture of frame %q", c.Params("frame"))
	}
	return frame, nil
}

func (h jobHandlers) getThumbnail(c *fiber.Ctx, p farm.Principal) error {
	frame, err := pictured(c)
	if err != nil {
		return err
	}
	opt := answer.FileOptions{ContentType: "image/jpeg", CacheControl: "private, max-age=3600"}
	return answer.OpenFile(c, opt, func(ctx context.Context) (*files.File, error) {
		return h.results.OpenThumbnail(ctx, p, c.Params("id"), frame)
	})
}
