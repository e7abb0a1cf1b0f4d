package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/farm"
	"overcrank/web/page"
)

// mostFrameRanges is how many ranges of frames the form takes.
const mostFrameRanges = 100

// mostPicturesAgain is how many ranges of a finished sequence are rendered again at once: each is a take.
const mostPicturesAgain = 10

// renderAgain has frames of a job rendered again, or leads to the new take that renders all of them.
func (s *server) renderAgain(c *fiber.Ctx, p farm.Principal) error {
	job, err := s.renderedAgain(c, p)
	if typed := c.FormValue("frames"); farm.CodeOf(err) == farm.CodeInvalid && typed != "" {
		c.Status(answer.StatusOf(err))
		return s.showJob(c, p, func(v *page.JobView) { v.Again = page.FramesAgain{Typed: typed, Problem: sayError(c, err)} })
	}
	if err != nil {
		return err
	}
	return c.Redirect("/jobs/"+job, fiber.StatusSeeOther)
}

// renderedAgain does what the form asks for, and gives the id of the job that renders it.
func (s *server) renderedAgain(c *fiber.Ctx, p farm.Principal) (string, error) {
	whole := c.FormValue("whole") != ""
	var frames []farm.Frames
	if !whole {
		var err error
		if frames, err = framesTyped(c.FormValue("frames")); err != nil {
			return "", err
		}
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.Params("id")
	job, err := s.farm.jobs.Job(ctx, p, id)
	if err != nil {
		return "", err
	}
	asked := [][]farm.Frames{frames}
	if !whole && job.Status == farm.JobFinished && job.Sequence() {
		if len(frames) > mostPicturesAgain {
			return "", farm.Errorf(farm.CodeInvalid, "of a sequence that is finished, %d ranges of frames are rendered again at once, each as a take; pick fewer", mostPicturesAgain)
		}
		asked = slices.Collect(slices.Chunk(frames, 1))
	}
	for _, frames := range asked {
		again, err := s.farm.jobs.RenderAgain(ctx, p, id, frames, whole)
		if err != nil {
			return "", err
		}
		job = again.Job
	}
	return job.ID, nil
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
