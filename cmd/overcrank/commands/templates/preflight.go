package templates

import (
	"context"
	"fmt"

	"overcrank/aep"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type preflightCommand struct {
	templateRef
	remote.Flags
}

func (preflightCommand) Help() string {
	return `The farm found it when it read the template. Of a file on this machine: overcrank inspect FILE`
}

func (s preflightCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := s.find(ctx, s.Flags)
	if err != nil {
		return err
	}
	found, err := c.TemplatePreflight(ctx, id)
	return s.Print(out, found, err, func() error {
		for i, f := range found.Compositions {
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintln(out, terminal.Plain(f.Name))
			PrintForecast(out, forecast(f))
		}
		if found.Stopped != "" {
			out.Remark("Not all compositions were looked at (%s).", found.Stopped)
		}
		return nil
	})
}

func forecast(f client.Forecast) aep.Forecast {
	out := aep.Forecast{Composition: f.Name, Verdict: aep.Verdict(f.Verdict), More: f.More}
	for _, found := range f.Findings {
		out.Findings = append(out.Findings, aep.Finding{
			Kind: aep.FindingKind(found.Kind), Composition: found.Composition, Layer: found.Layer, What: found.What, Detail: found.Detail,
		})
	}
	return out
}

// PrintForecast prints how a composition would be drawn, and the list behind that.
func PrintForecast(out *terminal.Output, f aep.Forecast) {
	line := func(text string) { fmt.Fprintln(out, terminal.Plain("  "+text)) }
	line(f.Words() + ".")
	for _, found := range f.Findings {
		if where := found.Where(f.Composition); where != "" {
			line("- " + where + ": " + found.Words())
		} else {
			line("- " + found.Words())
		}
	}
	if f.More > 0 {
		line(fmt.Sprintf("- and %d more", f.More))
	}
}
