package farmv1

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/farm"
)

// mostAgain is how many ranges of frames one request has rendered again.
const mostAgain = 100

// againAsked is which frames of a job are to be rendered again.
type againAsked struct {
	frames []farm.Frames
	whole  bool // also when that takes the whole film
}

// renderedAgain is which job renders which frames again.
type renderedAgain struct {
	Job    string       `json:"job"`
	Take   bool         `json:"take"` // the job is a new take
	Frames []framesBody `json:"frames"`
}

// renderAgain has frames of a job rendered again.
func (h jobHandlers) renderAgain(c *fiber.Ctx, p farm.Principal) error {
	asked, err := input.Body(c, decodeAgain)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	again, err := h.jobs.RenderAgain(ctx, p, c.Params("id"), asked.frames, asked.whole)
	if err != nil {
		return err
	}
	out := renderedAgain{Job: again.Job.ID, Take: again.Take, Frames: make([]framesBody, len(again.Frames))}
	for i, r := range again.Frames {
		out.Frames[i] = framesBody{Start: r.Start, End: r.End}
	}
	return answer.OK(c, out)
}

// decodeAgain reads which frames are to be rendered again.
func decodeAgain(body []byte) (asked againAsked, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return asked, err
	}
	o.Only("frames", "whole")
	asked.whole = o.Flag("whole")
	list := o.List("frames")
	if o.Need("frames") && (len(list) == 0 || len(list) > mostAgain) {
		o.Problem("frames", "%s", fmt.Sprintf("names 1 to %d ranges", mostAgain))
		return asked, wrong.Err()
	}
	o.Objects(list, "a range of frames", func(r input.Object) {
		r.Only("start", "end")
		r.Need("start")
		var frames farm.Frames
		frames.Start, _ = r.Whole("start", 0, maxFrameNumber)
		frames.End = frames.Start
		if end, given := r.Whole("end", 0, maxFrameNumber); given {
			if frames.End = end; end < frames.Start {
				r.Problem("end", "lies before the start")
			}
		}
		asked.frames = append(asked.frames, frames)
	})
	return asked, wrong.Err()
}
