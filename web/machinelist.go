package web

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/errgroup"

	"overcrank/api/answer"
	"overcrank/farm"
	"overcrank/web/page"
)

func (s *server) machines(c *fiber.Ctx, p farm.Principal) error {
	return s.showMachines(c, p, queryOf(c), page.Selection{})
}

// showMachines shows the machines that an address asks for, with what the bar over them holds.
func (s *server) showMachines(c *fiber.Ctx, p farm.Principal, asked url.Values, bar page.Selection) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readMachines(ctx, p, asked)
	if err != nil {
		return err
	}
	v.Selection = bar
	shell := s.shell(c, p, say(c, "Machines"), "machines")
	shell.Live = "machines:" + v.Filter.Values().Encode()
	return s.render(c, page.MachinesPage(shell, v))
}

// readMachines reads the machines that an address asks for, with what they render.
func (s *server) readMachines(ctx context.Context, p farm.Principal, asked url.Values) (page.Machines, error) {
	all, err := s.farm.machines.Board(ctx, p)
	if err != nil {
		return page.Machines{}, err
	}
	v := page.ListMachines(ctx, all, page.MachineFilterOf(asked))
	titles := map[string]page.Run{}
	for i := range v.Machines {
		if v.Machines[i].Runs, err = s.runsOf(ctx, p, v.Machines[i].Machine, titles); err != nil {
			return v, err
		}
	}
	return v, nil
}

// machineListPieces are the live parts of a list of machines.
func (s *server) machineListPieces(p farm.Principal, shell page.Shell, query string) []piece {
	return []piece{{id: "machines", common: true, kinds: []farm.EventKind{farm.EventJob, farm.EventProgress, farm.EventMachine}, draw: func(ctx context.Context) (templ.Component, error) {
		asked, err := url.ParseQuery(query)
		if err != nil {
			asked = url.Values{} // as the page itself reads such an address
		}
		v, err := s.readMachines(ctx, p, asked)
		return page.MachinesBody(shell, v), err
	}}}
}

// runsOf are the tasks that a machine works on, with the names of their jobs; known are those that were read before.
func (s *server) runsOf(ctx context.Context, p farm.Principal, m farm.Machine, known map[string]page.Run) ([]page.Run, error) {
	var runs []page.Run
	for _, r := range m.Running {
		run, read := known[r.Job]
		if !read && r.Job != "" {
			job, err := s.farm.jobs.Job(ctx, p, r.Job)
			if farm.CodeOf(err) == farm.CodeNotFound {
				continue // it was removed meanwhile
			}
			if err != nil {
				return nil, err
			}
			run.First, run.Total = page.Job{Job: job}.Frames()
			if run.Title, err = s.titleOf(ctx, p, job); err != nil {
				return nil, err
			}
			known[r.Job] = run
		}
		run.RunningTask = r
		runs = append(runs, run)
	}
	return runs, nil
}

// machineNow answers with the picture that is nearest to the frame that a machine renders, of the reader's team.
func (s *server) machineNow(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	m, err := s.farm.machines.Agent(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(m.Running, func(r farm.RunningTask) bool { return r.Job != "" })
	if i < 0 {
		return s.unexposed(c)
	}
	run := m.Running[i]
	list, err := s.farm.results.Thumbnails(ctx, p, run.Job)
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return err
	}
	nearest := -1
	for _, t := range list {
		if nearest < 0 || distance(t.Frame, run.Frame) < distance(nearest, run.Frame) {
			nearest = t.Frame
		}
	}
	if nearest < 0 {
		return s.unexposed(c)
	}
	f, err := s.farm.results.OpenThumbnail(ctx, p, run.Job, nearest)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "private, max-age=10")
	return answer.File(c, f, answer.FileOptions{})
}

func distance(a, b int) int { return max(a-b, b-a) }

// mostMachines is how many machines one form changes at most.
const mostMachines = 1000

// changeMachines does one thing with all selected machines: POST /machines/change. Those that are gone are counted, not refused.
func (s *server) changeMachines(c *fiber.Ctx, p farm.Principal) error {
	asked, err := url.ParseQuery(string(c.Body()))
	if err != nil {
		return farm.Invalid("the form cannot be read", farm.Field("id", "is not encoded as forms are"))
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	done, err := s.changeAsked(ctx, p, asked)
	if farm.CodeOf(err) == farm.CodeInvalid && !wantsJSON(c) {
		c.Status(answer.StatusOf(err))
		return s.showMachines(c, p, asked, refusedSelection(reading(c), asked, err))
	}
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return c.JSON(fiber.Map{"message": done.Sentence(reading(c))})
	}
	return c.Redirect(page.MachineFilterOf(asked).Address(), fiber.StatusSeeOther)
}

// changeAsked does what a form asks for with the machines that it names.
func (s *server) changeAsked(ctx context.Context, p farm.Principal, asked url.Values) (done page.ChangedMachines, err error) {
	change, err := machineChangeOf(asked)
	if err != nil {
		return done, err
	}
	some, more, err := s.selectedMachines(ctx, p, asked)
	if err != nil {
		return done, err
	}
	if len(some) == 0 {
		return done, farm.Invalid("nothing was changed", farm.Field("id", "no machine is selected; select one or more and try again"))
	}
	done = page.ChangedMachines{Did: asked.Get("do"), More: more}
	done.Changed, err = s.changeEachMachine(ctx, p, some, change)
	return done, err
}

// selectedMachines are the machines that a form names: by their ids, or all that its filter selects.
func (s *server) selectedMachines(ctx context.Context, p farm.Principal, asked url.Values) (some []farm.Machine, more bool, err error) {
	all, err := s.farm.machines.Board(ctx, p)
	if err != nil {
		return nil, false, err
	}
	if asked.Get("all") != "" {
		some = page.MachineFilterOf(asked).Select(ctx, all)
	} else {
		for _, m := range all {
			if slices.Contains(asked["id"], m.ID) {
				some = append(some, m)
			}
		}
	}
	return some[:min(len(some), mostMachines)], len(some) > mostMachines, nil
}

// machineChangeOf is what a form asks to be different about each machine, given the machine as it is.
func machineChangeOf(asked url.Values) (func(farm.Machine) farm.AgentChange, error) {
	yes, no := true, false
	same := func(change farm.AgentChange) func(farm.Machine) farm.AgentChange {
		return func(farm.Machine) farm.AgentChange { return change }
	}
	do := asked.Get("do")
	switch do {
	case "drain":
		return same(farm.AgentChange{Drained: &yes}), nil
	case "pause":
		return same(farm.AgentChange{Paused: &yes}), nil
	case "resume":
		return same(farm.AgentChange{Drained: &no, Paused: &no, Restore: true}), nil
	case "tag", "untag":
		word := strings.TrimSpace(asked.Get("word"))
		if word == "" {
			return nil, farm.Invalid("nothing was changed", farm.Field("word", "type the tag"))
		}
		return func(m farm.Machine) farm.AgentChange {
			tags := slices.DeleteFunc(slices.Clone(m.Tags), func(t string) bool { return t == word })
			if do == "tag" {
				tags = append(tags, word)
			}
			return farm.AgentChange{Tags: &tags}
		}, nil
	}
	return nil, farm.Invalid("nothing was changed", farm.Field("do", "is drain, pause, resume, tag or untag"))
}

// changeEachMachine changes machines, and counts those that it has changed.
func (s *server) changeEachMachine(ctx context.Context, p farm.Principal, list []farm.Machine, change func(farm.Machine) farm.AgentChange) (changed int, err error) {
	outcomes := make([]bool, len(list))
	each, ctx := errgroup.WithContext(ctx)
	each.SetLimit(changedAtOnce)
	for i, m := range list {
		each.Go(func() error {
			_, err := s.farm.machines.ConfigureAgent(ctx, p, m.ID, change(m))
			if farm.CodeOf(err) == farm.CodeNotFound {
				return nil // it was removed meanwhile
			}
			outcomes[i] = err == nil
			return err
		})
	}
	err = each.Wait()
	for _, ok := range outcomes {
		if ok {
			changed++
		}
	}
	return changed, err
}
