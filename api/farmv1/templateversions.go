package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
)

// templateVersionBody is a version of a template.
type templateVersionBody struct {
	Version    int         `json:"version"`
	Current    bool        `json:"current"`
	Kept       bool        `json:"kept"` // the farm keeps its file, so that jobs can render it
	Bytes      int64       `json:"bytes"`
	SavedWith  *string     `json:"savedWith"`
	CreatedAt  answer.Time `json:"createdAt"`
	CreatedBy  *string     `json:"createdBy"`
	ReplacedAt answer.Time `json:"replacedAt"` // null for the present one
}

// templateVersionsShape are the versions of a template, the newest first; none before it has a file.
func templateVersionsShape(t farm.Template) []templateVersionBody {
	out := []templateVersionBody{}
	if t.File == nil {
		return out
	}
	out = append(out, templateVersionBody{
		Version: t.VersionNow(), Current: true, Kept: true, Bytes: t.File.Size, SavedWith: answer.OrNull(t.SavedWith),
		CreatedAt: answer.Time(t.FileAt), CreatedBy: answer.OrNull(t.FileBy),
	})
	for i := len(t.Versions) - 1; i >= 0; i-- {
		v := t.Versions[i]
		out = append(out, templateVersionBody{
			Version: v.Number, Kept: v.Kept, Bytes: v.File.Size, SavedWith: answer.OrNull(v.SavedWith),
			CreatedAt: answer.Time(v.At), CreatedBy: answer.OrNull(v.By), ReplacedAt: answer.Time(v.ReplacedAt),
		})
	}
	return out
}

func (h templateHandlers) listVersions(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, templateVersionsShape(t))
}
