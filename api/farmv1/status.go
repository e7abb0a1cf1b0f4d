package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/api/route"
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
	Since  answer.Time `json:"since"`
	Done   int         `json:"done"`
	Failed int         `json:"failed"`
}

func (s *server) getFarm(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	status, err := s.farm.Status(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, farmShape(status))
}

func farmShape(f farm.Status) farmBody {
	body := farmBody{
		Paused: f.Paused, Machines: map[string]int{}, Slots: f.Slots, Leased: f.Leased, Ready: f.Ready, Jobs: map[string]int{},
		Pace: paceBody{Since: answer.Time(f.Since), Done: f.Done, Failed: f.Failed},
	}
	for _, state := range farm.MachineStates() {
		body.Machines[string(state)] = f.Machines[state]
	}
	for _, state := range public.JobStates {
		body.Jobs[string(state)] = f.Jobs[state]
	}
	return body
}

// turnFarm pauses the farm or lets it go on.
func (s *server) turnFarm(paused bool) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, done := request.Call(c)
		defer done()
		if _, err := s.farm.PauseFarm(ctx, p, paused); err != nil {
			return err
		}
		status, err := s.farm.Status(ctx, p)
		if err != nil {
			return err
		}
		return answer.OK(c, farmShape(status))
	}
}
