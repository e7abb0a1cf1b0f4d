package page

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"overcrank/coordinator/search"
	"overcrank/farm"
)

// Search is what was found.
type Search struct {
	Query    string
	Kind     search.Kind // "" for all
	Groups   []FoundGroup
	Projects []Choice // whose names have what was typed
	Problem  string   // with what was typed
	Indexing *search.Progress
}

// FoundGroup is what was found of one kind.
type FoundGroup struct {
	Kind search.Kind
	List []search.Found
	More bool
}

// GroupsOf takes an answer apart by kind.
func GroupsOf(a search.Answer) (groups []FoundGroup) {
	for _, f := range a.Found {
		if len(groups) == 0 || groups[len(groups)-1].Kind != f.Kind {
			groups = append(groups, FoundGroup{Kind: f.Kind, More: slices.Contains(a.More, f.Kind)})
		}
		last := &groups[len(groups)-1]
		last.List = append(last.List, f)
	}
	return groups
}

// foundKinds is what the kinds are called.
func foundKinds(ctx context.Context, kind search.Kind) string {
	switch kind {
	case search.KindJob:
		return say(ctx, "Jobs")
	case search.KindBatch:
		return say(ctx, "Batches")
	case search.KindTemplate:
		return say(ctx, "Templates")
	case search.KindMachine:
		return say(ctx, "Machines")
	default:
		return say(ctx, "People")
	}
}

// moreFound leads to more that was found of a kind.
func moreFound(ctx context.Context, kind search.Kind) string {
	switch kind {
	case search.KindJob:
		return say(ctx, "More jobs")
	case search.KindBatch:
		return say(ctx, "More batches")
	case search.KindTemplate:
		return say(ctx, "More templates")
	case search.KindMachine:
		return say(ctx, "More machines")
	default:
		return say(ctx, "More people")
	}
}

// foundAddress is the page of what was found.
func foundAddress(f search.Found) string {
	switch f.Kind {
	case search.KindJob:
		return "/jobs/" + f.ID
	case search.KindBatch:
		return "/batches/" + f.ID
	case search.KindTemplate:
		return "/templates/" + f.ID
	case search.KindMachine:
		return "/machines/" + f.ID
	default:
		return "/settings/people"
	}
}

// foundTitle is what people call it, as far as that is known.
func foundTitle(ctx context.Context, f search.Found) string {
	title := cmp.Or(f.Name, f.Composition, f.ID)
	if f.Kind == search.KindBatch && f.Jobs > 1 {
		return andMore(ctx, title, f.Jobs-1)
	}
	return title
}

// foundState is how it is; without words for what has no state.
func foundState(f search.Found) State {
	switch f.Kind {
	case search.KindJob:
		return StateOf(farm.Job{Status: farm.JobStatus(f.Status)})
	case search.KindTemplate:
		return TemplateState(farm.Template{Status: farm.TemplateStatus(f.Status)})
	default:
		return State{}
	}
}

// searchAddress is the page of what was found, of one kind.
func searchAddress(query string, kind search.Kind) string {
	values := url.Values{"q": {query}}
	if kind != "" {
		values.Set("kind", string(kind))
	}
	return "/search?" + values.Encode()
}
