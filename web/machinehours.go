package web

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/farm"
	"overcrank/web/page"
)

// machineHours shows the week in which the hours of the selected machines are marked: GET /machines/hours.
func (s *server) machineHours(c *fiber.Ctx, p farm.Principal) error {
	asked, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return farm.Invalid("the address cannot be read", farm.Field("id", "is not encoded as forms are"))
	}
	return s.showMachineHours(c, p, asked, nil, "")
}

// showMachineHours shows the week, with the hours that were marked, or those in force where all machines have the same.
func (s *server) showMachineHours(c *fiber.Ctx, p farm.Principal, asked url.Values, marked []farm.Hours, problem string) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	some, _, err := s.selectedMachines(ctx, p, asked)
	if err != nil {
		return err
	}
	if len(some) == 0 && c.Method() == fiber.MethodGet {
		return c.Redirect("/machines", fiber.StatusSeeOther)
	}
	if len(some) == 0 {
		return farm.Invalid("no hours can be set", farm.Field("id", "no machine is selected; select one or more and try again"))
	}
	for _, name := range []string{"open", "do", "word"} {
		asked.Del(name)
	}
	v := page.MachineHours{Machines: some, Asked: asked, Hours: some[0].Hours, Error: problem}
	for _, m := range some {
		if farm.JoinHours(m.Hours) != farm.JoinHours(v.Hours) {
			v.Hours = nil
		}
	}
	if problem != "" {
		v.Hours, v.Blank = marked, len(marked) == 0
	}
	return s.render(c, page.MachineHoursPage(s.shell(c, p, say(c, "Hours of machines"), "machines"), v))
}

// setMachineHours sets the hours of the selected machines: POST /machines/hours.
func (s *server) setMachineHours(c *fiber.Ctx, p farm.Principal) error {
	asked, err := url.ParseQuery(string(c.Body()))
	if err != nil {
		return farm.Invalid("the form cannot be read", farm.Field("open", "is not encoded as forms are"))
	}
	hours, any := page.HoursOf(asked["open"])
	if !any {
		c.Status(fiber.StatusBadRequest)
		return s.showMachineHours(c, p, asked, nil, say(c, "Mark at least one hour. To keep a machine from work altogether, pause it."))
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	some, _, err := s.selectedMachines(ctx, p, asked)
	if err != nil {
		return err
	}
	if len(some) == 0 {
		return s.showMachineHours(c, p, asked, nil, "")
	}
	_, err = s.changeEachMachine(ctx, p, some, func(farm.Machine) farm.AgentChange { return farm.AgentChange{Hours: &hours} })
	if farm.CodeOf(err) == farm.CodeInvalid {
		c.Status(answer.StatusOf(err))
		return s.showMachineHours(c, p, asked, hours, sayError(c, err))
	}
	if err != nil {
		return err
	}
	if len(some) == 1 {
		return c.Redirect("/machines/"+some[0].ID, fiber.StatusSeeOther)
	}
	return c.Redirect(page.MachineFilterOf(asked).Address(), fiber.StatusSeeOther)
}
