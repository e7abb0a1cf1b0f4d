package agents

import (
	"context"
	"fmt"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
)

type hoursCommand struct {
	agentRefs
	Set    []string `help:"A window of the week, such as 'mon-fri 19:00-08:00'; may be given several times." sep:"none" placeholder:"WINDOW" xor:"hours"`
	Always bool     `help:"The farm gives them work at any hour." xor:"hours"`
	remote.Flags
}

// Help is what stands below the flags.
func (hoursCommand) Help() string {
	return `Hours go by each machine's own clock. A machine's own hours and rules, set at its agent, still hold: it works when both allow it. When its hours end it stops
as its agent does at the end of its own hours (on-return).

    overcrank agents hours mac-07 mac-08 --set 'mon-fri 19:00-08:00' --set 'sat,sun 00:00-24:00'
    overcrank agents hours mac-07 --always`
}

// Run sets the hours of machines.
func (h hoursCommand) Run(ctx context.Context, out *terminal.Output) error {
	if len(h.Set) == 0 && !h.Always {
		return exit.Usagef("which hours? Give windows with --set, or --always")
	}
	hours := make([]string, len(h.Set))
	for i, text := range h.Set {
		window, err := farm.ParseHours(text)
		if err != nil {
			return exit.Usagef("%w", err)
		}
		hours[i] = window.String()
	}
	return eachAgent(ctx, h.Flags, out, h.Agents, func(c *client.Client, agent client.Agent) (client.Agent, error) {
		return c.ChangeAgent(ctx, agent.ID, client.AgentChange{Hours: &hours})
	})
}

// hoursSaid are the hours that the farm has set for a machine, as it is shown; "" for always.
func hoursSaid(hours []string) string {
	if len(hours) == 0 {
		return ""
	}
	return fmt.Sprintf("%s, by its own clock", strings.Join(hours, "; "))
}
