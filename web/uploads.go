package web

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/uploads"
	"overcrank/farm"
)

// uploadRoutes take files in parts from the pages' script.
func (s *server) uploadRoutes() []route.Route {
	return []route.Route{
		route.Post("/files/uploads", farm.ActSubmit, s.beginUpload),
		route.Post("/files/uploads/:id/parts/:part", farm.ActSubmit, s.takeUploadPart),
		route.Post("/files/uploads/:id/finish", farm.ActSubmit, s.finishUpload),
		route.Post("/files/uploads/:id/cancel", farm.ActSubmit, s.cancelUpload),
	}
}

// beginUpload announces a file, or finds what has arrived of it.
func (s *server) beginUpload(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	size, err := strconv.ParseInt(c.Query("size"), 10, 64)
	if err != nil {
		return farm.Invalid("the file cannot be uploaded", farm.Field("size", "has to be the file's size in bytes"))
	}
	name := strings.Clone(c.Query("name"))
	up, err := s.farm.uploads.Begin(ctx, p, strings.Clone(c.Query("key")), name[max(0, len(name)-uploads.MaxName):], size)
	if err != nil {
		return err
	}
	missing := up.Missing
	if missing == nil {
		missing = []int{}
	}
	return c.Status(fiber.StatusCreated).JSON(fiber.Map{"id": up.ID, "partSize": up.PartSize, "missing": missing, "arrived": up.Arrived})
}

func (s *server) takeUploadPart(c *fiber.Ctx, p farm.Principal) error {
	body, size, err := request.Body(c, uploads.MaxPart)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(c.Params("part"))
	if err != nil {
		return farm.Invalid("the upload has no such part", farm.Field("part", "has to be its number"))
	}
	if err := s.farm.uploads.Put(s.asking(c), p, strings.Clone(c.Params("id")), number, body, size); err != nil {
		return err
	}
	return c.JSON(fiber.Map{})
}

// finishUpload answers with the address of the file that the parts make.
func (s *server) finishUpload(c *fiber.Ctx, p farm.Principal) error {
	stored, err := s.farm.uploads.Finish(s.asking(c), p, strings.Clone(c.Params("id")), "")
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(fiber.Map{"src": stored.Src()})
}

func (s *server) cancelUpload(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.uploads.Cancel(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return c.JSON(fiber.Map{})
}
