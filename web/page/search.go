package page

import (
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
	Start    *SearchStart // where nothing was typed
}

// Found is one thing that was found, with what people call it.
type Found struct {
	search.Found
	Title string
}

// FoundGroup is what was found of one kind.
type FoundGroup struct {
	Kind search.Kind
	List []Found
	More bool
}

// SearchStart is what the page shows before anything is typed.
type SearchStart struct {
	Mine      bool // the jobs are the reader's, not the team's
	Jobs      []Job
	Batches   []Batch
	Templates []farm.Template
	Views     []farm.JobView
}

// mostExamples is how many examples the page offers.
const mostExamples = 4

// examples are words that find something on this farm.
func (v SearchStart) examples() (words []string) {
	add := func(word string) {
		if word != "" && len(words) < mostExamples && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	for _, j := range v.Jobs {
		if len(j.Tags) > 0 {
			add(j.Tags[0])
			break
		}
	}
	for _, b := range v.Batches {
		if b.Name != "" {
			add(b.Name)
			break
		}
	}
	if len(v.Jobs) > 0 {
		add(v.Jobs[0].Name)
		add(v.Jobs[0].SubmittedBy)
	}
	if len(v.Templates) > 0 {
		add(v.Templates[0].DisplayName)
	}
	return words
}

// kinds are what the reader can search for, each with where it looks.
func (v Search) kinds(ctx context.Context, s Shell) (kinds []Choice) {
	kinds = []Choice{
		{say(ctx, "Jobs"), say(ctx, "by name, tag, template and composition, by who submitted them, and by the texts of their layers")},
		{say(ctx, "Batches"), say(ctx, "by their names, and by all that finds one of their jobs")},
		{say(ctx, "Templates"), say(ctx, "by name and by their compositions")},
		{say(ctx, "Projects"), say(ctx, "by name")},
		{say(ctx, "Machines"), say(ctx, "by name, tag, system and graphics card")},
	}
	if s.Can(farm.ActManageTokens) {
		return append(kinds, Choice{say(ctx, "People"), say(ctx, "by name and role")})
	}
	return append(kinds, Choice{say(ctx, "People"), say(ctx, "by name, with their jobs")})
}

// GroupsOf takes what was found apart by kind.
func GroupsOf(found []Found, more []search.Kind) (groups []FoundGroup) {
	for _, f := range found {
		if len(groups) == 0 || groups[len(groups)-1].Kind != f.Kind {
			groups = append(groups, FoundGroup{Kind: f.Kind, More: slices.Contains(more, f.Kind)})
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
func foundAddress(f Found) string {
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
		if f.Status == "" { // the reader does not look after people
			return theirJobs(f.Name)
		}
		return "/settings/people#token-" + f.ID
	}
}

// theirJobs is the list of the jobs that somebody has submitted.
func theirJobs(name string) string { return "/jobs?by=" + queryText(name) }

// foundState is how it is; without words for what has no state.
func foundState(f Found) State {
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
