package web

import (
	"context"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/page"
)

func (s *server) coordinators(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readCoordinators(ctx, p)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Coordinators"), "settings")
	shell.Setting, shell.Live = "coordinators", "coordinators"
	return s.render(c, page.CoordinatorsPage(shell, v))
}

// readCoordinators asks the coordinators how they are, as far as they answer.
func (s *server) readCoordinators(ctx context.Context, p farm.Principal) (page.Coordinators, error) {
	status, err := s.farm.cluster.Status(ctx, p, 0)
	return page.Coordinators{Status: status, Now: time.Now()}, err
}

// coordinatorPieces are the live parts of the page of coordinators.
func (s *server) coordinatorPieces(p farm.Principal, _ page.Shell, _ string) []piece {
	return []piece{{id: "coordinators", common: true, kinds: []farm.EventKind{farm.EventFarm, farm.EventMachine}, draw: func(ctx context.Context) (templ.Component, error) {
		v, err := s.readCoordinators(ctx, p)
		return page.CoordinatorsBody(v), err
	}}}
}

// transferLead hands the lead to a coordinator.
func (s *server) transferLead(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.FormValue("coordinator")
	if id == "" {
		return farm.Invalid("the lead was not handed over", farm.Field("coordinator", "is missing"))
	}
	if err := s.farm.cluster.TransferLead(ctx, p, id); err != nil {
		return err
	}
	return c.Redirect("/settings/coordinators", fiber.StatusSeeOther)
}
