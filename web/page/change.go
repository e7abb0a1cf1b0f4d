package page

import (
	"context"

	"overcrank/aep"
)

// changeSaid says what changed between two versions of a template.
func changeSaid(ctx context.Context, c aep.Change) string {
	thing := thingChanged(ctx, c)
	switch c.How {
	case aep.Added:
		return say(ctx, "Added: %s", thing)
	case aep.Removed:
		return say(ctx, "Removed: %s", thing)
	}
	return say(ctx, "Changed: %s, %s", thing, traitChanged(ctx, c))
}

// thingChanged names what changed.
func thingChanged(ctx context.Context, c aep.Change) string {
	switch c.Kind {
	case "composition":
		return say(ctx, "composition “%s”", c.Name)
	case "layer":
		return say(ctx, "layer “%s” in “%s”", c.Name, c.In)
	case "field":
		return say(ctx, "field “%s” in “%s”", c.Name, c.In)
	case "font":
		return say(ctx, "font “%s”", c.Name)
	default:
		return say(ctx, "footage “%s”", c.Name)
	}
}

// traitChanged says in what something changed.
func traitChanged(ctx context.Context, c aep.Change) string {
	switch c.What {
	case aep.TraitSize:
		return say(ctx, "%s instead of %s pixels", c.Now, c.Was)
	case aep.TraitDuration:
		return say(ctx, "%s instead of %s s", c.Now, c.Was)
	case aep.TraitFrameRate:
		return say(ctx, "%s instead of %s frames/s", c.Now, c.Was)
	case aep.TraitText:
		return say(ctx, "other words")
	case aep.TraitOn:
		return say(ctx, "switched on")
	case aep.TraitOff:
		return say(ctx, "switched off")
	case aep.TraitTime:
		return say(ctx, "other times")
	case aep.TraitFonts:
		return say(ctx, "other fonts")
	case aep.TraitLeft:
		return say(ctx, "no longer comes with the template")
	case aep.TraitArrived:
		return say(ctx, "comes with the template now")
	default: // a type, or what a layer shows
		return say(ctx, "%s instead of %s", c.Now, c.Was)
	}
}
