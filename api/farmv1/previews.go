package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/coordinator/preview"
	"overcrank/farm"
)

// Previews draws frames of templates with what a job would put into them.
type Previews interface {
	Draw(ctx context.Context, p farm.Principal, template string, shot preview.Shot) (preview.Picture, error)
}

const (
	mostPreviewFrame  = 20_000_000 // as of a job
	leastPreviewWidth = 16         // pixels
	mostPreviewTime   = 1e6        // seconds, more than the longest composition has
)

func (h templateHandlers) previewTemplate(c *fiber.Ctx, p farm.Principal) error {
	shot, err := input.Body(c, decodePreview)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	picture, err := h.previews.Draw(ctx, p, c.Params("id"), shot)
	if err != nil {
		return err
	}
	return answer.Preview(c, picture)
}

// decodePreview reads which frame is wanted; everything may be left out.
func decodePreview(body []byte) (preview.Shot, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return preview.Shot{}, err
	}
	o.Only("composition", "version", "assets", "frame", "seconds", "width")
	shot := preview.Shot{Composition: o.Text("composition", input.AddressLimit), Assets: public.ReadAssets(o)}
	shot.Version, _ = o.Whole("version", 1, farm.MostVersionNumber)
	shot.Frame, _ = o.Whole("frame", 0, mostPreviewFrame)
	shot.Width, _ = o.Whole("width", leastPreviewWidth, preview.MostWidth)
	if seconds, given := o.Number("seconds"); given {
		shot.Frame, shot.Time = -1, seconds
		if o.Has("frame") {
			o.Problem("seconds", "cannot be given together with frame: both say which frame it is")
		} else if !(seconds >= 0 && seconds <= mostPreviewTime) {
			o.Problem("seconds", "has to be between 0 and %d", int(mostPreviewTime))
		}
	}
	return shot, wrong.Err()
}
