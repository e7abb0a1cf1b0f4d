package templates

import (
	"context"
	"fmt"
	"strings"

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
	out := aep.Forecast{Composition: f.Name, Verdict: aep.Verdict(f.Verdict), More: f.More, MoreNeeds: f.MoreNeeds}
	for _, n := range f.Needs {
		out.Needs = append(out.Needs, aep.Need{Kind: aep.NeedKind(n.Kind), Name: n.Name, Match: n.Match, Count: n.Count, Drawn: aep.Verdict(n.Drawn)})
	}
	for _, found := range f.Findings {
		out.Findings = append(out.Findings, aep.Finding{
			Kind: aep.FindingKind(found.Kind), Composition: found.Composition, Layer: found.Layer, What: found.What, Detail: found.Detail,
		})
	}
	return out
}

// PrintForecast prints how a composition would be drawn, the list behind that, and which features it uses.
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
	drawn := map[aep.Verdict]string{aep.DrawsNot: "not drawn", aep.DrawsNearly: "drawn nearly", aep.DrawsExactly: "drawn exactly"}
	for _, verdict := range aep.Verdicts() {
		var list []string
		for _, n := range f.Drawn(verdict) {
			list = append(list, n.Words())
		}
		if len(list) > 0 {
			line("Uses, " + drawn[verdict] + ": " + strings.Join(list, ", ") + ".")
		}
	}
	if f.MoreNeeds > 0 {
		line(fmt.Sprintf("Uses %d more.", f.MoreNeeds))
	}
}
