package public

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/coordinator/files"
)

// takeTemplate takes the file of a template at its signed address.
func (h templateHandlers) takeTemplate(c *fiber.Ctx) error {
	body, size, err := request.Body(c, request.UploadLimit)
	if err != nil {
		return err
	}
	if body, err = input.NotEmpty(body); err != nil {
		return err
	}
	if err := h.templates.Receive(request.Transfer(c), c.Params("id"), rawQuery(c), body, size); err != nil {
		return err
	}
	c.Status(fiber.StatusOK)
	return nil
}

func (h templateHandlers) giveTemplate(c *fiber.Ctx) error {
	return answer.OpenFile(c, answer.FileOptions{Download: true, ContentType: fiber.MIMEOctetStream}, func(ctx context.Context) (*files.File, error) {
		return h.templates.Open(ctx, c.Params("id"), rawQuery(c))
	})
}

func rawQuery(c *fiber.Ctx) string { return string(c.Request().URI().QueryString()) }
