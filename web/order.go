package web

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator"
	"overcrank/coordinator/reviews"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// topPriority is how far a job's priority may be raised, and lowered below 0.
const topPriority = 1000

// changeOrder gives a job that waits another place in line.
func (s *server) changeOrder(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	o, wrong := readOrder(c)
	if c.FormValue("front") != "" {
		o.priority = topPriority
	}
	var err error
	if len(wrong) > 0 {
		err = farm.Invalid("the job’s place in the queue cannot be changed", wrong...)
	} else {
		_, err = s.farm.jobs.ChangeJob(ctx, p, c.Params("id"), coordinator.JobChange{Priority: &o.priority, Level: &o.level, NotBefore: &o.notBefore})
	}
	if farm.CodeOf(err) == farm.CodeInvalid {
		sent := sentPlace(c, o)
		sent.Wrong = wrongOf(reading(c), err)
		c.Status(answer.StatusOf(err))
		return s.showJob(c, p, func(v *page.JobView) { v.Sent = &sent })
	}
	if err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}

// sentPlace is a place in line as a form holds it, to be shown again as it was typed.
func sentPlace(c *fiber.Ctx, o order) page.Place {
	return page.Place{Level: o.level, Priority: strings.TrimSpace(c.FormValue("priority")), NotBefore: c.FormValue("notBefore"), Zone: c.FormValue("zone")}
}

// wrongOf is what an error has against fields of a form, in the language of a context.
func wrongOf(ctx context.Context, err error) page.Wrong {
	wrong := page.Wrong{}
	for _, f := range fieldsOf(err) {
		wrong[f.Field] = language.Told(ctx, f.Text())
	}
	return wrong
}

// order is a place in line as forms hold it.
type order struct {
	level     farm.Level
	priority  int
	notBefore time.Time
}

// readOrder reads a place in line from its form, with what is wrong about fields of it.
func readOrder(c *fiber.Ctx) (o order, wrong []farm.FieldError) {
	o.level = cmp.Or(farm.Level(c.FormValue("level")), farm.LevelNormal)
	if !o.level.Known() {
		wrong = append(wrong, farm.Field("level", "is rush, normal or overnight"))
	}
	if text := strings.TrimSpace(c.FormValue("priority")); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < -topPriority || n > topPriority {
			wrong = append(wrong, farm.Field("priority", "has to be a whole number from -1000 to 1000"))
		}
		o.priority = n
	}
	var err error
	if o.notBefore, err = clockTime(c.FormValue("notBefore"), c.FormValue("zone")); err != nil {
		wrong = append(wrong, fieldsOf(err)...)
	}
	return o, wrong
}

// fieldsOf are the fields that an error is about.
func fieldsOf(err error) []farm.FieldError {
	var refused *farm.Error
	if errors.As(err, &refused) {
		return refused.Fields
	}
	return nil
}

// clockTime is the time that a field of a form holds on the reader's clock; zone is how many minutes that is behind UTC, as browsers
// count. Zero for an empty field.
func clockTime(text, zone string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		return at, farm.Invalid("the time cannot be read", farm.Field("notBefore", "has to be a day and a time"))
	}
	behind, _ := strconv.Atoi(zone) // none: the field is in UTC
	return at.Add(time.Duration(behind) * time.Minute), nil
}

// approveJob lets the rest of a job go on behind its first frames.
func (s *server) approveJob(c *fiber.Ctx, p farm.Principal) error {
	return s.decide(c, p, reviews.Said{Verdict: farm.VerdictApproved}, func(ctx context.Context, id string) (farm.Job, error) {
		return s.farm.jobs.ApproveJob(ctx, p, id)
	})
}

func (s *server) rejectJob(c *fiber.Ctx, p farm.Principal) error {
	why := c.FormValue("reason")
	return s.decide(c, p, reviews.Said{Verdict: farm.VerdictRejected, Text: why}, func(ctx context.Context, id string) (farm.Job, error) {
		return s.farm.jobs.RejectJob(ctx, p, id, why)
	})
}

// decide keeps a verdict on a job that waits for one among what the team says of it, as on its review page, where clients do not see it. Any other job
// refuses the decision.
func (s *server) decide(c *fiber.Ctx, p farm.Principal, said reviews.Said, otherwise func(ctx context.Context, id string) (farm.Job, error)) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	job, err := s.farm.jobs.Job(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	said.Take, said.Inside = job.ID, true
	if page.NeedsApproval(job) {
		_, err = s.farm.reviews.Say(ctx, p, said)
	} else {
		_, err = otherwise(ctx, job.ID)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/jobs/"+job.ID, fiber.StatusSeeOther)
}
