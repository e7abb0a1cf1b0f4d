package farmv1

import (
	"context"

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

// Status is what the interface asks of the farm as a whole.
type Status interface {
	Status(ctx context.Context, p farm.Principal) (farm.Status, error)
	PauseFarm(ctx context.Context, p farm.Principal, paused bool) (farm.Policy, error)
}

// statusHandlers answers for the farm as a whole.
type statusHandlers struct {
	farm    Status
	version string
}

func (h statusHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/info", farm.ActView, h.getInfo),
		route.Get(root+"/farm", farm.ActView, h.getFarm),
		route.Post(root+"/farm/pause", farm.ActSteerFarm, h.turnFarm(true)),
		route.Post(root+"/farm/resume", farm.ActSteerFarm, h.turnFarm(false)),
	}
}

func (h statusHandlers) getFarm(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	status, err := h.farm.Status(ctx, p)
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
func (h statusHandlers) turnFarm(paused bool) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, done := request.Call(c)
		defer done()
		if _, err := h.farm.PauseFarm(ctx, p, paused); err != nil {
			return err
		}
		status, err := h.farm.Status(ctx, p)
		if err != nil {
			return err
		}
		return answer.OK(c, farmShape(status))
	}
}

// getInfo says which release answers.
func (h statusHandlers) getInfo(c *fiber.Ctx, _ farm.Principal) error {
	return answer.OK(c, map[string]string{"version": h.version})
}
