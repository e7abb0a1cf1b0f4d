package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/interval"
)

// Events is overcrank events: what happens on the farm, as it happens.
type Events struct {
	Kinds []string `help:"Only events of these kinds: job, task, progress, log, thumbnail, template, agent, farm." complete:"eventkind"`
	Job   string   `help:"Only events about this job and its tasks." complete:"job"`
	remote.Farm
	JSON bool `help:"Print each event as the API tells it, one on a line." name:"json"`
}

// Help is for the parser of the command line.
func (Events) Help() string {
	return `Goes on until Ctrl-C, also over a restart of the farm.

    overcrank events --kinds job,agent
    overcrank events --json | jq -c 'select(.kind == "progress")'`
}

// reconnectPause is before the next try to follow a farm whose coordinator has gone away.
const reconnectPause = 500 * time.Millisecond

// Run prints what happens, as it happens.
func (e Events) Run(ctx context.Context, out *terminal.Output) error {
	c, err := e.Client()
	if err != nil {
		return err
	}
	query := url.Values{}
	if len(e.Kinds) > 0 {
		query.Set("kinds", strings.Join(e.Kinds, ","))
	}
	if e.Job != "" {
		query.Set("job", e.Job)
	}
	opened := false
	for {
		ended := false
		err := c.Events(ctx, query, func(event client.Event) error {
			opened = true
			ended = event.Kind == "ended"
			return e.print(event, out)
		})
		var refused *client.Error
		switch {
		case ctx.Err() != nil:
			return exit.Code(exit.Interrupted)
		case ended:
			return fmt.Errorf("the token is no longer valid")
		case !opened, errors.As(err, &refused):
			return err
		}
		out.Remark("The farm has gone away; events until it answers again are missed.")
		if err := interval.Wait(ctx, reconnectPause); err != nil {
			return err
		}
	}
}

func (e Events) print(event client.Event, out *terminal.Output) error {
	if e.JSON {
		return out.Answer(event.JSON())
	}
	var words []string
	for _, word := range []string{event.ID, event.Phase} {
		if word != "" {
			words = append(words, word)
		}
	}
	if event.Progress != nil {
		words = append(words, strings.TrimSpace(terminal.Percent(*event.Progress)))
	}
	if event.Frame != nil {
		words = append(words, fmt.Sprintf("frame %d", *event.Frame))
	}
	line := fmt.Sprintf("%s  %-9s  %s", time.Now().Format(time.TimeOnly), event.Kind, strings.Join(words, "  "))
	_, err := fmt.Fprintln(out, strings.TrimRight(line, " "))
	for _, text := range event.Lines {
		if err == nil {
			_, err = fmt.Fprintln(out, "          "+text)
		}
	}
	return err
}
