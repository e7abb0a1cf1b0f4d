package web

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/files"
	room "overcrank/coordinator/machines"
	"overcrank/farm"
	"overcrank/web/page"
)

// machines is what pages ask of the farm about machines.
type machines interface {
	Agents(ctx context.Context, p farm.Principal, q farm.AgentQuery) (list []farm.Machine, next string, err error)
	Board(ctx context.Context, p farm.Principal) ([]farm.Machine, error)
	Day(ctx context.Context, p farm.Principal, id string) (farm.MachineDay, error)
	Compare(ctx context.Context, p farm.Principal, id string) (room.Comparison, error)
	FontCounts(ctx context.Context, p farm.Principal, names []string) (have map[string]int, machines int, err error)
	FontHolders(ctx context.Context, p farm.Principal, name string, most int) (room.FontHolders, error)
	Agent(ctx context.Context, p farm.Principal, id string) (farm.Machine, error)
	ConfigureAgent(ctx context.Context, p farm.Principal, id string, change farm.AgentChange) (farm.Machine, error)
	HasFirstFrame(ctx context.Context, p farm.Principal, id string) bool
	OpenFirstFrame(ctx context.Context, p farm.Principal, id string) (*files.File, error)
	RetireAgent(ctx context.Context, p farm.Principal, id string) error
}

// dressMachine adds to a machine the reader's jobs that it renders.
func (s *server) dressMachine(ctx context.Context, p farm.Principal, m farm.Machine) (page.Machine, error) {
	out := page.Machine{Machine: m}
	seen := map[string]bool{}
	for _, r := range m.Running {
		if r.Job == "" {
			out.Others++
			continue
		}
		if seen[r.Job] {
			continue
		}
		seen[r.Job] = true
		job, err := s.farm.jobs.Job(ctx, p, r.Job)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue // it was removed meanwhile
		}
		if err != nil {
			return out, err
		}
		dressed, err := s.dress(ctx, p, []farm.Job{job}, true)
		if err != nil {
			return out, err
		}
		out.Jobs = append(out.Jobs, dressed...)
	}
	return out, nil
}

func (s *server) readMachine(ctx context.Context, p farm.Principal, id string) (page.Machine, error) {
	m, err := s.farm.machines.Agent(ctx, p, id)
	if err != nil {
		return page.Machine{}, err
	}
	v, err := s.dressMachine(ctx, p, m)
	if err != nil {
		return v, err
	}
	v.Framed = s.farm.machines.HasFirstFrame(ctx, p, id)
	recent, err := s.farm.tasks.RecentAttempts(ctx, p, id)
	if err != nil {
		return v, err
	}
	titles := map[string]string{} // by job, of which a machine may have rendered several tasks
	for _, a := range recent {
		if _, known := titles[a.Job]; !known {
			if titles[a.Job], err = s.titleOfJob(ctx, p, a.Job); err != nil {
				return v, err
			}
		}
		if title := titles[a.Job]; title != "" {
			v.Recent = append(v.Recent, page.RecentAttempt{AttemptRecord: a.AttemptRecord, Job: a.Job, Title: title, Kind: a.Kind})
		}
	}
	return v, nil
}

// dayJobs is how many of the jobs that a machine worked on its page names.
const dayJobs = 12

// readDay reads what a machine did in the last 24 hours, with the names of the reader's jobs.
func (s *server) readDay(ctx context.Context, p farm.Principal, id string) (page.MachineDay, error) {
	day, err := s.farm.machines.Day(ctx, p, id)
	v := page.MachineDay{MachineDay: day, Now: time.Now()}
	if err != nil {
		return v, err
	}
	for _, part := range slices.Backward(day.Parts) {
		if part.Job == "" || len(v.Jobs) == dayJobs || slices.ContainsFunc(v.Jobs, func(c page.Choice) bool { return c.Value == part.Job }) {
			continue
		}
		title, err := s.titleOfJob(ctx, p, part.Job)
		if err != nil {
			return v, err
		}
		if title != "" {
			v.Jobs = append(v.Jobs, page.Choice{Value: part.Job, Word: title})
		}
	}
	return v, nil
}

// machinePieces are the live parts of a machine's page. Its day changes with time alone.
func (s *server) machinePieces(p farm.Principal, shell page.Shell, id string) []piece {
	return []piece{
		{id: "machine", common: true, kinds: []farm.EventKind{farm.EventJob, farm.EventProgress, farm.EventMachine}, draw: func(ctx context.Context) (templ.Component, error) {
			m, err := s.readMachine(ctx, p, id)
			return page.MachineHead(shell, m), err
		}},
		{id: "day", common: true, draw: func(ctx context.Context) (templ.Component, error) {
			d, err := s.readDay(ctx, p, id)
			return page.MachineDayPart(d), err
		}},
	}
}

func (s *server) machine(c *fiber.Ctx, p farm.Principal) error {
	return s.showMachine(c, p, page.MachinePageValues{})
}

// showMachine shows a machine's page, with what a form on it was refused for.
func (s *server) showMachine(c *fiber.Ctx, p farm.Principal, v page.MachinePageValues) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	var err error
	if v.Machine, err = s.readMachine(ctx, p, c.Params("id")); err != nil {
		return err
	}
	v.Finds(c.Query("fonts"))
	if v.Day, err = s.readDay(ctx, p, v.ID); err != nil {
		return err
	}
	if v.Compared, err = s.farm.machines.Compare(ctx, p, v.ID); err != nil {
		return err
	}
	v.Now = time.Now()
	shell := s.shell(c, p, v.Name, "machines")
	shell.Live = "machine:" + v.ID
	return s.render(c, page.MachinePage(shell, v))
}

// firstFrame answers with the picture of the frame that a machine has rendered once it was installed.
func (s *server) firstFrame(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	f, err := s.farm.machines.OpenFirstFrame(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "private, no-cache") // a machine that is installed again sends another one
	return answer.File(c, f, answer.FileOptions{})
}

// turnMachine drains a machine, pauses it, or lets it go on.
func (s *server) turnMachine(change farm.AgentChange) func(*fiber.Ctx, farm.Principal) error {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, cancel := s.callOf(c)
		defer cancel()
		if _, err := s.farm.machines.ConfigureAgent(ctx, p, c.Params("id"), change); err != nil {
			return err
		}
		return c.Redirect("/machines/"+c.Params("id"), fiber.StatusSeeOther)
	}
}

// changeMachine gives a machine a name and tags.
func (s *server) changeMachine(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.Params("id")
	was, err := s.farm.machines.Agent(ctx, p, id)
	if err != nil {
		return err
	}
	tags := words(c.FormValue("tags"))
	change := farm.AgentChange{Tags: &tags}
	if name := strings.TrimSpace(c.FormValue("name")); name != was.Name {
		change.Name = &name
	}
	_, err = s.farm.machines.ConfigureAgent(ctx, p, id, change)
	if farm.CodeOf(err) == farm.CodeInvalid {
		c.Status(answer.StatusOf(err))
		return s.showMachine(c, p, page.MachinePageValues{Error: sayError(c, err), Field: "change"})
	}
	if err != nil {
		return err
	}
	return c.Redirect("/machines/"+id, fiber.StatusSeeOther)
}

// retireMachine takes a machine out of the farm when it was named.
func (s *server) retireMachine(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.Params("id")
	m, err := s.farm.machines.Agent(ctx, p, id)
	if err != nil {
		return err
	}
	if strings.TrimSpace(c.FormValue("name")) != m.Name {
		c.Status(fiber.StatusBadRequest)
		return s.showMachine(c, p, page.MachinePageValues{Error: say(c, "that is not the name of this machine"), Field: "retire"})
	}
	if err := s.farm.machines.RetireAgent(ctx, p, id); err != nil {
		return err
	}
	return c.Redirect("/machines", fiber.StatusSeeOther)
}

// words are what stands between the commas of a field.
func words(text string) []string {
	var list []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			list = append(list, word)
		}
	}
	return list
}
