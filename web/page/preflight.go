package page

import (
	"context"
	"slices"
	"strings"

	"overcrank/aep"
)

// forecastState is how the verdict on a composition is shown.
func forecastState(ctx context.Context, f aep.Forecast) State {
	state := State{Word: forecastWords(ctx, f), Class: "error"}
	switch f.Verdict {
	case aep.DrawsExactly:
		state.Class = "finished"
	case aep.DrawsNearly:
		state.Class = "nearly"
	case aep.DrawsNot:
	}
	return state
}

// forecastWords are the verdict on a composition.
func forecastWords(ctx context.Context, f aep.Forecast) string {
	switch f.Verdict {
	case aep.DrawsExactly:
		return say(ctx, "Draws exactly")
	case aep.DrawsNearly:
		return many(ctx, len(f.Findings)+f.More, "Draws nearly: %d thing differs", "Draws nearly: %d things differ")
	case aep.DrawsNot:
	}
	var named []string
	for _, finding := range f.Named() {
		named = append(named, heard(ctx, finding.Subject()))
	}
	switch more := len(f.Findings) + f.More - len(named); {
	case len(named) == 0:
		return say(ctx, "Cannot draw: %d things", more)
	case more > 0:
		return say(ctx, "Cannot draw: %s and %d more", strings.Join(named, ", "), more)
	case len(named) > 1:
		return say(ctx, "Cannot draw: %s", say(ctx, "%s and %s", strings.Join(named[:len(named)-1], ", "), named[len(named)-1]))
	}
	return say(ctx, "Cannot draw: %s", named[0])
}

// drawnState is how features are marked that are drawn as a verdict says.
func drawnState(ctx context.Context, v aep.Verdict) State {
	switch v {
	case aep.DrawsExactly:
		return State{Word: say(ctx, "Drawn exactly"), Class: "finished"}
	case aep.DrawsNearly:
		return State{Word: say(ctx, "Drawn nearly"), Class: "nearly"}
	case aep.DrawsNot:
	}
	return State{Word: say(ctx, "Not drawn"), Class: "error"}
}

// needsWords are features in a row, each with how often it is used.
func needsWords(ctx context.Context, list []aep.Need) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = heard(ctx, n.Subject()) + strings.TrimPrefix(n.Words(), n.Subject())
	}
	return strings.Join(words, ", ")
}

// differs says whether the embedded engine would draw some composition otherwise than After Effects.
func (t Template) differs() bool {
	return t.Preflight != nil && slices.ContainsFunc(t.Preflight.Compositions, func(f aep.Forecast) bool { return f.Verdict != aep.DrawsExactly })
}

// unlooked says why the engine was not asked about some of a template's compositions; "" when it was asked about all.
func (t Template) unlooked(ctx context.Context) string {
	if t.Preflight == nil {
		return ""
	}
	switch t.Preflight.Stopped {
	case aep.StoppedByTime:
		return say(ctx, "Checking the compositions took too long. Slow expressions are the usual cause.")
	case aep.StoppedByMemory:
		return say(ctx, "Checking the compositions took more memory than --reading-memory allows.")
	case aep.StoppedByNumber:
		return say(ctx, "There are more compositions than are checked.")
	case aep.StoppedByFailure:
		return say(ctx, "The engine failed on this project. Please report it with the file; the coordinator’s log has the details.")
	}
	return ""
}

// lacksFont tells whether neither the library nor any machine has a font.
func (t Template) lacksFont(name string) bool {
	return t.Preflight != nil && slices.Contains(t.Preflight.Fonts(), name)
}

// lacksFonts tells whether there is any such font.
func (t Template) lacksFonts() bool {
	return slices.ContainsFunc(t.Summary.Fonts, func(f aep.FontSummary) bool { return t.lacksFont(f.PostScript) })
}
