package web

import (
	"context"
	"errors"
	"math"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/preview"
	"overcrank/farm"
	"overcrank/web/language"
)

// undrawn is why there is no picture. Its status is that of success: browsers tell of others in their console as of faults of the page, and
// what somebody has half typed is none.
type undrawn struct {
	Error string `json:"error,omitempty"`
	Again bool   `json:"again,omitempty"` // it is worth asking again in a moment
}

// preview answers with a frame of what the form of a new job holds, as a render would have it.
func (s *server) preview(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	form, earlier, err := s.sentForm(ctx, c, p)
	if err != nil {
		return err
	}
	job, err := readForm(c, &form, earlier, order{})
	if err != nil {
		return c.JSON(undrawn{Error: formWords(reading(c), form.Fields, job.Assets, err)})
	}
	return s.drawFrame(ctx, c, p, job.Template, job.Assets)
}

// rowFrame answers with a frame of a job as a row of a table makes it.
func (s *server) rowFrame(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	job, err := readJob([]byte(c.FormValue("job")))
	if err != nil {
		return c.JSON(undrawn{Error: formWords(reading(c), nil, nil, err)})
	}
	return s.drawFrame(ctx, c, p, job.Template, job.Assets)
}

// drawFrame answers with the frame, as wide as the page's script asks for.
func (s *server) drawFrame(ctx context.Context, c *fiber.Ctx, p farm.Principal, of farm.JobTemplate, assets []farm.Asset) error {
	frame, err := numberOf(c, "frame", 0, math.MaxInt32)
	if err != nil {
		return err
	}
	width, err := numberOf(c, "width", 1, preview.MostWidth)
	if err != nil {
		return err
	}
	picture, err := s.farm.previews.Draw(ctx, p, of.ID, preview.Shot{Version: of.Version, Composition: of.Composition, Assets: assets, Frame: frame, Width: width})
	switch {
	case err == nil:
		picture.Notes = toldNotes(reading(c), picture.Notes)
		return answer.Preview(c, picture)
	case errors.Is(err, preview.ErrOvertaken):
		return c.JSON(undrawn{Again: true})
	case errors.Is(err, context.DeadlineExceeded):
		return c.JSON(undrawn{Error: say(c, "Opening this template takes longer than usual…"), Again: true})
	case farm.CodeOf(err) == farm.CodeInternal:
		return err
	}
	return c.JSON(undrawn{Error: formWords(reading(c), nil, assets, err)})
}

// toldNotes are what the engine notes of a frame, in the language of its reader.
func toldNotes(ctx context.Context, notes []string) []string {
	told := make([]string, len(notes))
	for i, note := range notes {
		told[i] = language.Heard(ctx, note)
	}
	return told
}

// numberOf reads a number that the page's script sends.
func numberOf(c *fiber.Ctx, field string, least, most int) (int, error) {
	n, err := strconv.Atoi(c.FormValue(field))
	if err != nil || n < least || n > most {
		return 0, farm.Invalid("there is no such preview", farm.Field(field, "has to be a number from %d to %d", least, most))
	}
	return n, nil
}
