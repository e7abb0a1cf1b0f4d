package input

import (
	"bufio"
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// NextPart goes to the next part of a form, io.EOF at its end. Whatever else goes wrong is the sender's doing.
func NextPart(form *multipart.Reader) (*multipart.Part, error) {
	part, err := form.NextPart()
	var fe *farm.Error
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.As(err, &fe):
		return part, err
	default:
		return nil, unreadable(err)
	}
}

// FormError words a failure of reading a form; errors with a code keep it.
func FormError(err error) error {
	var fe *farm.Error
	if errors.As(err, &fe) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.HasPrefix(err.Error(), "multipart: ") {
		return unreadable(err)
	}
	return err
}

// unreadable is a form that was cut off on its way, or is not what forms are. The words of the reader of forms say nothing to people.
func unreadable(err error) error {
	return farm.Errorf(farm.CodeInvalid, "the form cannot be read; send it again").Because(err)
}

// GivenName is the file name that the header X-File-Name or the query gives, percent-encoded in the header.
func GivenName(c *fiber.Ctx) (string, error) {
	name := c.Query("name")
	if header := c.Get("X-File-Name"); header != "" {
		decoded, err := url.PathUnescape(header)
		if err != nil {
			decoded = header
		}
		name = decoded
	}
	if name != "" && !PlainFileName(name) {
		return "", farm.Invalid("the file's name has to be a plain file name, not a path", farm.Field("name", "is not a plain file name"))
	}
	return name, nil
}

// BaseName takes the name out of the path that some browsers send, and gives "" for what is no name at all.
func BaseName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if !PlainFileName(name) {
		return ""
	}
	return name
}

// NotEmpty refuses a body without any bytes.
func NotEmpty(body io.Reader) (io.Reader, error) {
	r := bufio.NewReader(body)
	if _, err := r.Peek(1); errors.Is(err, io.EOF) {
		return nil, farm.Invalid("the file is empty", farm.Field("body", "is empty"))
	} else if err != nil {
		return nil, err
	}
	return r, nil
}

// FormParts is how many parts such a form may have.
const FormParts = 20

// FormField makes a field's name from outside fit for an answer.
func FormField(name string) string {
	if name == "" {
		return "form"
	}
	return MemberPath("", name)
}
