package farmv1

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/uploads"
	"overcrank/farm"
)

// uploadBody is a file that comes in parts. Src is its address once the farm keeps it, null before.
type uploadBody struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Size      int64       `json:"size"`
	PartSize  int64       `json:"partSize"`
	Parts     int         `json:"parts"`
	Missing   []int       `json:"missing"`
	Arrived   int64       `json:"arrived"`
	ExpiresAt answer.Time `json:"expiresAt"`
	Src       *string     `json:"src"`
}

func uploadShape(u uploads.Upload) uploadBody {
	body := uploadBody{
		ID: u.ID, Name: u.Name, Size: u.Size, PartSize: u.PartSize, Parts: u.Parts(), Missing: u.Missing, Arrived: u.Arrived, ExpiresAt: answer.Time(u.ExpiresAt),
	}
	if body.Missing == nil {
		body.Missing = []int{}
	}
	if u.SHA256 != "" {
		src := farm.KeptScheme + u.SHA256
		body.Src = &src
	}
	return body
}

// uploadHandlers takes callers' own files in parts.
type uploadHandlers struct{ uploads *uploads.Uploads }

func (h uploadHandlers) routes() []route.Route {
	return []route.Route{
		route.Post(root+"/uploads", farm.ActSubmit, h.begin),
		route.Get(root+"/uploads/:id", farm.ActSubmit, route.WellFormed(h.get)),
		route.Delete(root+"/uploads/:id", farm.ActSubmit, route.WellFormed(h.cancel)),
		route.Put(root+"/uploads/:id/parts/:part", farm.ActSubmit, route.WellFormed(h.put)),
		route.Post(root+"/uploads/:id/finish", farm.ActSubmit, route.WellFormed(h.finish)),
	}
}

// announced is a file that a caller is about to send.
type announced struct {
	name, key string
	size      int64
}

func decodeAnnounced(body []byte) (announced, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return announced{}, err
	}
	o.Only("name", "size", "key")
	in := announced{name: input.BaseName(o.NeedText("name", uploads.MaxName)), key: o.Text("key", uploads.MaxName)}
	if o.Need("size") {
		size, _ := o.Whole("size", 1, uploads.MaxSize)
		in.size = int64(size)
	}
	return in, wrong.Err()
}

func (h uploadHandlers) begin(c *fiber.Ctx, p farm.Principal) error {
	in, err := input.Body(c, decodeAnnounced)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	up, err := h.uploads.Begin(ctx, p, in.key, in.name, in.size)
	if err != nil {
		return err
	}
	return answer.Created(c, uploadShape(up))
}

func (h uploadHandlers) get(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	up, err := h.uploads.Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, uploadShape(up))
}

func (h uploadHandlers) cancel(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.uploads.Cancel(ctx, p, c.Params("id")); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

// put takes one part; it is kept only when all of it has come.
func (h uploadHandlers) put(c *fiber.Ctx, p farm.Principal) error {
	body, size, err := request.Body(c, uploads.MaxPart)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(c.Params("part"))
	if err != nil || number < 0 {
		return farm.Invalid("the address names no part", farm.Field("part", "has to be the part's number, from 0"))
	}
	if err := h.uploads.Put(request.Transfer(c), p, strings.Clone(c.Params("id")), number, body, size); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

// finish puts the parts together, which takes as long as copying the file.
func (h uploadHandlers) finish(c *fiber.Ctx, p farm.Principal) error {
	hash, err := input.Body(c, decodeFinish)
	if err != nil {
		return err
	}
	stored, err := h.uploads.Finish(request.Transfer(c), p, strings.Clone(c.Params("id")), hash)
	if err != nil {
		return err
	}
	return answer.Created(c, keptShape(stored))
}

func decodeFinish(body []byte) (sha256 string, err error) {
	if len(body) == 0 {
		return "", nil
	}
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return "", err
	}
	o.Only("sha256")
	sha256 = o.Text("sha256", 64)
	if sha256 != "" && !farm.IsSHA256(sha256) {
		o.Problem("sha256", "has to be the file's SHA-256, 64 hexadecimal digits in lower case")
	}
	return sha256, wrong.Err()
}
