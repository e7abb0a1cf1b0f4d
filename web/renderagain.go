package web

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// mostFrameRanges is how many ranges of frames the form takes.
const mostFrameRanges = 100

// renderAgain has frames of a job rendered again, or leads to the new take that renders all of them.
func (s *server) renderAgain(c *fiber.Ctx, p farm.Principal) error {
	whole := c.FormValue("whole") != ""
	var frames []farm.Frames
	if !whole {
		var err error
		if frames, err = framesTyped(c.FormValue("frames")); err != nil {
			return err
		}
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	again, err := s.farm.jobs.RenderAgain(ctx, p, c.Params("id"), frames, whole)
	if err != nil {
		return err
	}
	return c.Redirect("/jobs/"+again.Job.ID, fiber.StatusSeeOther)
}

// framesTyped reads frames as people type them: "12, 40-47".
func framesTyped(words string) (frames []farm.Frames, err error) {
	for word := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		first, last, both := strings.Cut(strings.ReplaceAll(word, "–", "-"), "-")
		if !both {
			last = first
		}
		var r farm.Frames
		if r.Start, err = strconv.Atoi(first); err == nil {
			r.End, err = strconv.Atoi(last)
		}
		if err != nil || r.Start < 0 || r.End < r.Start {
			return nil, farm.Errorf(farm.CodeInvalid, "“%s” is neither a frame nor a range of frames: write them as 12, 40-47", word)
		}
		frames = append(frames, r)
	}
	if len(frames) == 0 || len(frames) > mostFrameRanges {
		return nil, farm.Errorf(farm.CodeInvalid, "pick frames to be rendered again: 1 to %d ranges, as 12, 40-47", mostFrameRanges)
	}
	return frames, nil
}
