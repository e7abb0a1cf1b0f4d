package web

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/updates"
	"overcrank/farm"
	"overcrank/web/page"
)

// rollouts is what pages ask of the farm about releases on their way to machines.
type rollouts interface {
	MachineUpdates(ctx context.Context, p farm.Principal) (updates.Overview, error)
}

func (s *server) updates(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readUpdates(ctx, p)
	if err != nil {
		return err
	}
	v.Fill()
	v.Saved = c.Query("saved") != ""
	return s.showUpdates(c, p, v)
}

func (s *server) readUpdates(ctx context.Context, p farm.Principal) (page.Updates, error) {
	overview, err := s.farm.rollouts.MachineUpdates(ctx, p)
	if err != nil {
		return page.Updates{}, err
	}
	releases, err := s.farm.releases.List(ctx, p)
	return page.Updates{Overview: overview, Releases: releases}, err
}

func (s *server) showUpdates(c *fiber.Ctx, p farm.Principal, v page.Updates) error {
	shell := s.shell(c, p, say(c, "Updates"), "settings")
	shell.Setting = "updates"
	return s.render(c, page.UpdatesPage(shell, v))
}

// changeUpdates chooses a release, and how machines get it.
func (s *server) changeUpdates(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readUpdates(ctx, p)
	if err != nil {
		return err
	}
	change := readUpdatesForm(c, &v)
	if len(v.Problems) == 0 {
		_, err = s.farm.releases.Change(ctx, p, change)
	} else {
		err = farm.Invalid("Some fields are not valid")
	}
	switch code := farm.CodeOf(err); {
	case err == nil:
		return c.Redirect("/settings/updates?saved=1", fiber.StatusSeeOther)
	case code == farm.CodeInvalid, code == farm.CodeNotFound, code == farm.CodeConflict:
		v.Error = sayError(c, err)
	default:
		return err
	}
	c.Status(answer.StatusOf(err))
	return s.showUpdates(c, p, v)
}

// readUpdatesForm reads what the form asks for. What cannot be read is a problem of its field.
func readUpdatesForm(c *fiber.Ctx, v *page.Updates) func(*farm.Updates) {
	text := func(name string) string { return strings.TrimSpace(c.FormValue(name)) }
	wrong := func(field, message string, args ...any) {
		v.Problems = append(v.Problems, farm.Field(field, message, args...))
	}
	whole := func(name string) int {
		word := text(name)
		n, err := strconv.Atoi(word)
		if word != "" && (err != nil || n < 0) {
			wrong(name, "has to be a whole number")
		}
		return max(n, 0)
	}
	v.Release, v.Canary, v.Hours = text("release"), text("canary"), strings.ReplaceAll(text("hours"), "\r\n", "\n")
	v.Pace, v.AtOnce, v.Soak = text("pace"), text("atOnce"), text("soak")
	var hours []farm.Hours
	for line := range strings.Lines(v.Hours) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		h, err := farm.ParseHours(line)
		if err != nil {
			wrong("hours", "%v", err)
		}
		hours = append(hours, h)
	}
	var tags, machines []string
	for _, word := range words(v.Canary) {
		at := slices.IndexFunc(v.Overview.Machines, func(m updates.Machine) bool { return m.Name == word || m.ID == word })
		if at < 0 {
			tags = append(tags, word)
		} else {
			machines = append(machines, v.Overview.Machines[at].ID)
		}
	}
	pace, atOnce, soak := whole("pace"), whole("atOnce"), whole("soak")
	given := v.Soak != ""
	return func(u *farm.Updates) {
		u.Release, u.CanaryTags, u.CanaryMachines, u.Hours = v.Release, tags, machines, hours
		u.BytesPerSecond, u.AtOnce, u.SoakMinutes = int64(pace)<<10, atOnce, nil
		if given {
			u.SoakMinutes = &soak
		}
	}
}

// resumeUpdates lets a release go on that was stopped.
func (s *server) resumeUpdates(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.releases.Resume(ctx, p); err != nil && farm.CodeOf(err) != farm.CodeConflict {
		return err
	}
	return c.Redirect("/settings/updates", fiber.StatusSeeOther)
}
