package public

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/library"
	"overcrank/farm"
)

const (
	// fontForm is how many bytes a form may hold beside the font.
	fontForm = 64 << 10
)

// FontBody is a font as the interface shows it.
type FontBody struct {
	ID         string      `json:"id"`
	FamilyName string      `json:"familyName"`
	FileName   string      `json:"fileName"`
	CreatedAt  answer.Time `json:"createdAt"`
	CopyOf     string      `json:"copyOf,omitempty"`
}

// FontShape is a font as the interface shows it.
func FontShape(f farm.Font) FontBody {
	return FontBody{ID: f.ID, FamilyName: f.FamilyName, FileName: f.FileName, CreatedAt: answer.Time(f.CreatedAt), CopyOf: f.CopyOf}
}

// fontHandlers answers for the fonts of a team.
type fontHandlers struct{ fonts *library.Fonts }

func (h fontHandlers) routes() []route.Route {
	return []route.Route{
		route.Post("/api/v2/fonts", farm.ActAddFonts, h.addFont),
		route.Get("/api/v2/fonts", farm.ActView, h.listFonts),
		route.Get("/api/v2/fonts/:id", farm.ActView, h.getFont),
		route.Delete("/api/v2/fonts/:id", farm.ActDeleteFonts, h.deleteFont),
	}
}

// addFont takes the one font of a form into the team's library.
func (h fontHandlers) addFont(c *fiber.Ctx, p farm.Principal) error {
	body, _, err := request.Body(c, library.MaxFont+fontForm)
	if err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEMultipartForm || params["boundary"] == "" {
		return farm.Invalid("the font has to come as multipart/form-data with one file part named font",
			farm.Field("font", "is missing: the body is not a form"))
	}
	form := fontUpload{multipart.NewReader(body, params["boundary"]), func(name string, file io.Reader) (library.FontFile, error) {
		return h.fonts.Receive(request.Transfer(c), name, file)
	}}
	file, family, err := form.read()
	if err != nil {
		return input.FormError(err)
	}
	font, err := h.fonts.Add(request.Transfer(c), p, file, family)
	if err != nil {
		return err
	}
	return answer.Created(c, FontShape(font))
}

// fontUpload is the form that a font comes in.
type fontUpload struct {
	*multipart.Reader
	receive func(name string, file io.Reader) (library.FontFile, error)
}

// read takes the form in to its end: a second file, or an end that never comes, is refused.
func (u fontUpload) read() (file library.FontFile, family string, err error) {
	received := false
	for range input.FormParts {
		part, err := input.NextPart(u.Reader)
		if errors.Is(err, io.EOF) {
			if !received {
				return file, "", farm.Invalid("the form holds no font", farm.Field("font", "is missing; send the font as a file part of this name"))
			}
			return file, family, nil
		}
		if err != nil {
			return file, "", err
		}
		switch {
		case part.FormName() == "familyName" && part.FileName() == "":
			if family, err = familyName(part); err != nil {
				return file, "", err
			}
		case part.FormName() != "font" && part.FileName() == "": // a field of somebody's own
		case part.FormName() != "font":
			return file, "", farm.Invalid("the form holds a file that is not named font", farm.Field(input.FormField(part.FormName()), "is not a field of this form; the file part is named font"))
		case received:
			return file, "", farm.Invalid("the form holds more than one font; send each in a request of its own", farm.Field("font", "is there twice"))
		default:
			if file, err = u.font(part); err != nil {
				return file, "", err
			}
			received = true
		}
	}
	return file, "", farm.Errorf(farm.CodeInvalid, "the form has more than %d parts", input.FormParts)
}

func (u fontUpload) font(part *multipart.Part) (library.FontFile, error) {
	return u.receive(input.BaseName(part.FileName()), part)
}

// familyName reads the name that a font's owner gives its family.
func familyName(part io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(part, input.NameLimit+1))
	if err != nil {
		return "", err
	}
	name := strings.TrimSpace(string(raw))
	if len(raw) > input.NameLimit || strings.ToValidUTF8(name, "") != name || strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0 {
		return "", farm.Invalid("the family name is not valid", farm.Field("familyName", "has to be one line of text"))
	}
	return name, nil
}

func (h fontHandlers) listFonts(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.fonts.List(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(list, FontShape))
}

func (h fontHandlers) getFont(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	font, err := h.fonts.Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, FontShape(font))
}

func (h fontHandlers) deleteFont(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.fonts.Delete(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}
