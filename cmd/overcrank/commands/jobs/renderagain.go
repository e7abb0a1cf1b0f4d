package jobs

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

type renderAgainCommand struct {
	jobRef
	Frames []string `arg:"" help:"Frames, counted from 0: N or FIRST-LAST." placeholder:"FRAMES"`
	Whole  bool     `help:"If the job has ended, render its whole film as a new take: single frames of it are no longer kept."`
	remote.Flags
}

func (renderAgainCommand) Help() string {
	return `While several machines share a film, only these frames are rendered again, on other machines if there are any, and the film is put
together with them. Of a finished sequence of pictures one range of frames at a time is rendered again, as a new take with these frames only. A film that one
machine renders in one piece can be rendered again as a whole, once the job has ended.

    overcrank jobs render-again 'Spring spot' 12 40-47`
}

// Run has frames of a job rendered again.
func (r renderAgainCommand) Run(ctx context.Context, out *terminal.Output) error {
	frames := make([]client.FrameRange, len(r.Frames))
	for i, word := range r.Frames {
		var err error
		if frames[i], err = frameRange(word); err != nil {
			return err
		}
	}
	c, err := r.Client()
	if err != nil {
		return err
	}
	id, err := r.id(ctx, c)
	if err != nil {
		return err
	}
	again, err := c.RenderAgain(ctx, id, client.AskAgain{Frames: frames, Whole: r.Whole})
	return r.Print(out, again, err, func() error {
		if again.Take {
			fmt.Fprintf(out, "%s is a new take of %s\n", again.Job, id)
			return nil
		}
		fmt.Fprintf(out, "%s renders %s again\n", again.Job, rangesWords(again.Frames))
		return nil
	})
}

// frameRange reads N or FIRST-LAST.
func frameRange(word string) (r client.FrameRange, err error) {
	first, last, both := strings.Cut(word, "-")
	if !both {
		last = first
	}
	if r.Start, err = strconv.Atoi(first); err == nil {
		r.End, err = strconv.Atoi(last)
	}
	if err != nil || r.Start < 0 || r.End < r.Start {
		return r, exit.Usagef("frames %s: write them as N or FIRST-LAST", word)
	}
	return r, nil
}

// rangesWords names ranges as they are typed.
func rangesWords(ranges []client.FrameRange) string {
	words := make([]string, len(ranges))
	for i, r := range ranges {
		if words[i] = strconv.Itoa(r.Start); r.End > r.Start {
			words[i] += "-" + strconv.Itoa(r.End)
		}
	}
	return strings.Join(words, ", ")
}
