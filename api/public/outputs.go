package public

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/coordinator/files"
	"overcrank/coordinator/results"
	"overcrank/farm"
)

// outputHandlers gives the results of jobs.
type outputHandlers struct{ results *results.Results }

// giveOutput gives a result to whoever knows its address, or leads there when it was uploaded elsewhere. A browser plays it
// where it stands.
func (h outputHandlers) giveOutput(c *fiber.Ctx) error {
	if name, err := input.PathName(c, "name"); err == nil {
		ctx, done := request.Call(c)
		defer done()
		address, err := h.results.Elsewhere(ctx, name, c.Method())
		if err != nil {
			return err
		}
		if address != "" {
			c.Set(fiber.HeaderCacheControl, "no-store")
			return c.Redirect(address, fiber.StatusTemporaryRedirect)
		}
	}
	return answer.OpenFile(c, answer.FileOptions{CacheControl: "private, max-age=0, must-revalidate"}, func(ctx context.Context) (*files.File, error) {
		name, err := input.PathName(c, "name")
		if err != nil {
			return nil, farm.Errorf(farm.CodeNotFound, "there is no such result")
		}
		return h.results.Open(ctx, name)
	})
}

// giveTeamsOutput gives a result to those of the job's team only. Others are told what they would be told if there were none.
func (h outputHandlers) giveTeamsOutput(c *fiber.Ctx, p farm.Principal) error {
	name, err := input.PathName(c, "name")
	if err != nil {
		return h.giveOutput(c)
	}
	ctx, done := request.Call(c)
	defer done()
	if err := h.results.MayOpen(ctx, p, name); err != nil {
		return err
	}
	return h.giveOutput(c)
}
