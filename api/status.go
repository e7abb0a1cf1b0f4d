package api

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// farmBody is what the farm is at.
type farmBody struct {
	Paused   bool           `json:"paused"`
	Machines map[string]int `json:"machines"`
	Slots    int            `json:"slots"`
	Leased   int            `json:"leased"`
	Ready    int            `json:"ready"`
	Jobs     map[string]int `json:"jobs"`
	Pace     paceBody       `json:"pace"`
}

// paceBody is how many tasks ended since a moment.
type paceBody struct {
	Since  stamp `json:"since"`
	Done   int   `json:"done"`
	Failed int   `json:"failed"`
}

func (s *server) getFarm(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	status, err := s.farm.Status(ctx, p)
	if err != nil {
		return err
	}
	return ok(c, farmShape(status))
}

func farmShape(f farm.Status) farmBody {
	body := farmBody{
		Paused: f.Paused, Machines: map[string]int{}, Slots: f.Slots, Leased: f.Leased, Ready: f.Ready, Jobs: map[string]int{},
		Pace: paceBody{Since: stamp(f.Since), Done: f.Done, Failed: f.Failed},
	}
	for _, state := range farm.MachineStates() {
		body.Machines[string(state)] = f.Machines[state]
	}
	for _, state := range jobStates {
		body.Jobs[string(state)] = f.Jobs[state]
	}
	return body
}

// turnFarm pauses the farm or lets it go on.
func (s *server) turnFarm(paused bool) teamHandler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, done := s.call(c)
		defer done()
		if _, err := s.farm.PauseFarm(ctx, p, paused); err != nil {
			return err
		}
		status, err := s.farm.Status(ctx, p)
		if err != nil {
			return err
		}
		return ok(c, farmShape(status))
	}
}
