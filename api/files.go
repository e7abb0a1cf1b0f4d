package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

// uploadLimit bounds a streamed file.
const uploadLimit = 20 << 30

// keptFile answers a caller that handed over a file of its own.
type keptFile struct {
	Src       string `json:"src"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
	ExpiresAt stamp  `json:"expiresAt"`
}

// keepFile takes a caller's own file: the raw body, or the one file part of a form.
func (s *server) keepFile(c *fiber.Ctx, p farm.Principal) error {
	body, size, err := Body(c, uploadLimit)
	if err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err == nil && kind == fiber.MIMEMultipartForm {
		return s.keepFormFile(c, p, multipart.NewReader(body, params["boundary"]))
	}
	name, err := givenName(c)
	if err != nil {
		return err
	}
	kept, err := s.keep(s.transfer(c), p, name, body, size)
	if err != nil {
		return err
	}
	return created(c, kept)
}

func (s *server) keep(ctx context.Context, p farm.Principal, name string, body io.Reader, size int64) (keptFile, error) {
	if name == "" {
		name = "file"
	}
	body, err := notEmpty(body)
	if err != nil {
		return keptFile{}, err
	}
	stored, err := s.farm.StoredFiles().Put(ctx, p, name, body, size)
	if err != nil {
		return keptFile{}, err
	}
	return keptFile{Src: stored.Src(), Size: stored.Size, SHA256: stored.SHA256, ExpiresAt: stamp(stored.ExpiresAt)}, nil
}

// keepFormFile takes the file of a form. Nothing is answered before the form has ended well: a second file, or an end
// that never comes, is refused.
func (s *server) keepFormFile(c *fiber.Ctx, p farm.Principal, form *multipart.Reader) error {
	var kept *keptFile
	for {
		part, err := nextPart(form)
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
			return farm.Invalid("the form holds more than one file; send each in a request of its own", farm.FieldError{Field: part.FormName(), Message: "is a second file"})
		}
		stored, err := s.keep(s.transfer(c), p, lastPart(part.FileName()), part, -1)
		if err != nil {
			return formError(err)
		}
		kept = &stored
	}
	if kept == nil {
		return farm.Invalid("the form holds no file", farm.FieldError{Field: "file", Message: "is missing"})
	}
	return created(c, *kept)
}

// nextPart goes to the next part of a form, io.EOF at its end. Whatever else goes wrong is the sender's doing.
func nextPart(form *multipart.Reader) (*multipart.Part, error) {
	part, err := form.NextPart()
	var fe *farm.Error
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.As(err, &fe):
		return part, err
	default:
		return nil, farm.Errorf(farm.CodeInvalid, "the form cannot be read: %v", err)
	}
}

// formError words a failure of reading a form; errors with a code keep it.
func formError(err error) error {
	var fe *farm.Error
	if errors.As(err, &fe) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.HasPrefix(err.Error(), "multipart: ") {
		return farm.Errorf(farm.CodeInvalid, "the form cannot be read: %w", err)
	}
	return err
}

// givenName is the file name that the header X-File-Name or the query gives, percent-encoded in the header.
func givenName(c *fiber.Ctx) (string, error) {
	name := c.Query("name")
	if header := c.Get("X-File-Name"); header != "" {
		decoded, err := url.PathUnescape(header)
		if err != nil {
			decoded = header
		}
		name = decoded
	}
	if name != "" && !plainFileName(name) {
		return "", farm.Invalid("the file's name has to be a plain file name, not a path", farm.FieldError{Field: "name", Message: "is no plain file name"})
	}
	return name, nil
}

// lastPart takes the name out of the path that some browsers send, and gives "" for what is no name at all.
func lastPart(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if !plainFileName(name) {
		return ""
	}
	return name
}

// notEmpty refuses a body without any bytes.
func notEmpty(body io.Reader) (io.Reader, error) {
	r := bufio.NewReader(body)
	if _, err := r.Peek(1); errors.Is(err, io.EOF) {
		return nil, farm.Invalid("the file is empty", farm.FieldError{Field: "body", Message: "is empty"})
	} else if err != nil {
		return nil, err
	}
	return r, nil
}

// takeTemplate takes the file of a template at its signed address.
func (s *server) takeTemplate(c *fiber.Ctx) error {
	body, size, err := Body(c, uploadLimit)
	if err != nil {
		return err
	}
	if body, err = notEmpty(body); err != nil {
		return err
	}
	if err := s.farm.Templates().Receive(s.transfer(c), c.Params("id"), rawQuery(c), body, size); err != nil {
		return err
	}
	c.Status(fiber.StatusOK)
	return nil
}

func (s *server) giveTemplate(c *fiber.Ctx) error {
	return s.give(c, FileOptions{Download: true, ContentType: fiber.MIMEOctetStream}, func(ctx context.Context) (*files.File, error) {
		return s.farm.Templates().Open(ctx, c.Params("id"), rawQuery(c))
	})
}

// giveOutput gives a result to whoever knows its address, or leads there when it was uploaded elsewhere. A browser plays it
// where it stands.
func (s *server) giveOutput(c *fiber.Ctx) error {
	if name, err := pathName(c, "name"); err == nil {
		ctx, done := s.call(c)
		defer done()
		address, err := s.farm.Results().Elsewhere(ctx, name, c.Method())
		if err != nil {
			return err
		}
		if address != "" {
			c.Set(fiber.HeaderCacheControl, "no-store")
			return c.Redirect(address, fiber.StatusTemporaryRedirect)
		}
	}
	return s.give(c, FileOptions{CacheControl: "private, max-age=0, must-revalidate"}, func(ctx context.Context) (*files.File, error) {
		name, err := pathName(c, "name")
		if err != nil {
			return nil, farm.Errorf(farm.CodeNotFound, "there is no such result")
		}
		return s.farm.Results().Open(ctx, name)
	})
}

// giveTeamsOutput gives a result to those of the job's team only. Others are told what they would be told if there were none.
func (s *server) giveTeamsOutput(c *fiber.Ctx) error {
	give := func(c *fiber.Ctx, p farm.Principal) error {
		name, err := pathName(c, "name")
		if err != nil {
			return s.giveOutput(c)
		}
		ctx, done := s.call(c)
		defer done()
		if err := s.farm.Results().MayOpen(ctx, p, name); err != nil {
			return err
		}
		return s.giveOutput(c)
	}
	return s.forReader(farm.ActView, give)(c)
}

func (s *server) give(c *fiber.Ctx, opt FileOptions, open func(context.Context) (*files.File, error)) error {
	ctx, done := s.call(c)
	defer done()
	f, err := open(ctx)
	if err != nil {
		return err
	}
	return ServeFile(c, f, opt)
}

func rawQuery(c *fiber.Ctx) string { return string(c.Request().URI().QueryString()) }

func unescape(part string) (string, error) {
	name, err := url.PathUnescape(part)
	if err != nil {
		return "", fmt.Errorf("reading the address: %w", err)
	}
	return name, nil
}
