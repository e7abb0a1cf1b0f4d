package farmv1

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/library"
	"overcrank/farm"
)

// keptFile answers a caller that handed over a file of its own.
type keptFile struct {
	Src       string      `json:"src"`
	Size      int64       `json:"size"`
	SHA256    string      `json:"sha256"`
	ExpiresAt answer.Time `json:"expiresAt"`
}

// fileHandlers takes callers' own files.
type fileHandlers struct{ stored *library.StoredFiles }

func (h fileHandlers) routes() []route.Route {
	return []route.Route{
		route.Post(root+"/files", farm.ActSubmit, h.keepFile),
	}
}

// keepFile takes a caller's own file: the raw body, or the one file part of a form.
func (h fileHandlers) keepFile(c *fiber.Ctx, p farm.Principal) error {
	body, size, err := request.Body(c, request.UploadLimit)
	if err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err == nil && kind == fiber.MIMEMultipartForm {
		return h.keepFormFile(c, p, multipart.NewReader(body, params["boundary"]))
	}
	name, err := input.GivenName(c)
	if err != nil {
		return err
	}
	kept, err := h.keep(request.Transfer(c), p, name, body, size)
	if err != nil {
		return err
	}
	return answer.Created(c, kept)
}

func (h fileHandlers) keep(ctx context.Context, p farm.Principal, name string, body io.Reader, size int64) (keptFile, error) {
	if name == "" {
		name = "file"
	}
	body, err := input.NotEmpty(body)
	if err != nil {
		return keptFile{}, err
	}
	stored, err := h.stored.Put(ctx, p, name, body, size)
	if err != nil {
		return keptFile{}, err
	}
	return keptShape(stored), nil
}

func keptShape(stored farm.StoredFile) keptFile {
	return keptFile{Src: stored.Src(), Size: stored.Size, SHA256: stored.SHA256, ExpiresAt: answer.Time(stored.ExpiresAt)}
}

// keepFormFile takes the file of a form. Nothing is answered before the form has ended well: a second file, or an end
// that never comes, is refused.
func (h fileHandlers) keepFormFile(c *fiber.Ctx, p farm.Principal, form *multipart.Reader) error {
	var kept *keptFile
	for {
		part, err := input.NextPart(form)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if part.FileName() == "" {
			continue
		}
		if kept != nil {
			return farm.Invalid("the form holds more than one file; send each in a request of its own", farm.Field(part.FormName(), "is a second file"))
		}
		stored, err := h.keep(request.Transfer(c), p, input.BaseName(part.FileName()), part, -1)
		if err != nil {
			return input.FormError(err)
		}
		kept = &stored
	}
	if kept == nil {
		return farm.Invalid("the form holds no file", farm.Field("file", "is missing"))
	}
	return answer.Created(c, *kept)
}
