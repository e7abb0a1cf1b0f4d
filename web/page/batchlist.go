package page

import (
	"context"
	"net/url"
	"slices"

	"overcrank/farm"
	"overcrank/web/language"
)

// Batches is a page of the list of batches.
type Batches struct {
	Filter  BatchFilter
	Batches []Batch
	Next    string // cursor of the next page, "" on the last
	Paging  bool   // not the first page
	Looked  int    // how many were looked at
	Short   bool   // these were so many that the page is not full
}

// Owner is who submitted the batch, "" when nobody knows any more.
func (b Batch) Owner() string { return b.Batch.Owner(b.First.Job) }

// owners are those who submitted what is listed, to be chosen from.
func (v Batches) owners(me string) []string {
	names := []string{me}
	for _, b := range v.Batches {
		if name := b.Owner(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// BatchFilter is which batches are listed, as the address says it.
type BatchFilter farm.BatchFilter

// batchStates are the states that the list can be narrowed down to, with what they are called.
var batchStates = []struct {
	state farm.BatchState
	word  string
}{
	{"", language.Text("All")}, {farm.BatchOpen, language.Text("In progress")}, {farm.BatchFailing, language.Text("Has failures")}, {farm.BatchDone, language.Text("Done")},
}

// Address is the list that the filter selects.
func (f BatchFilter) Address() string { return f.after("") }

// after is the address of the page behind a cursor.
func (f BatchFilter) after(cursor string) string {
	v := url.Values{}
	for name, value := range map[string]string{"by": f.By, "state": string(f.State), "cursor": cursor} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if len(v) == 0 {
		return "/batches"
	}
	return "/batches?" + v.Encode()
}

// in and by are the filter with another state, and for another person.
func (f BatchFilter) in(state farm.BatchState) BatchFilter { f.State = state; return f }
func (f BatchFilter) by(name string) BatchFilter           { f.By = name; return f }

// none says that no batch fits the filter.
func (f BatchFilter) none(ctx context.Context) string {
	switch {
	case f.State == farm.BatchOpen && f.By != "":
		return say(ctx, "No batches of %s in progress", f.By)
	case f.State == farm.BatchFailing && f.By != "":
		return say(ctx, "No batches of %s have failures", f.By)
	case f.State == farm.BatchDone && f.By != "":
		return say(ctx, "No batches of %s are done", f.By)
	case f.State == farm.BatchOpen:
		return say(ctx, "No batches in progress")
	case f.State == farm.BatchFailing:
		return say(ctx, "No batches have failures")
	case f.State == farm.BatchDone:
		return say(ctx, "No batches are done")
	}
	return say(ctx, "No batches of %s", f.By)
}

// advice says what that means, or what to do.
func (f BatchFilter) advice(ctx context.Context) string {
	switch f.State {
	case farm.BatchOpen:
		return say(ctx, "The jobs of each batch have ended. A new table makes a new batch.")
	case farm.BatchFailing:
		return say(ctx, "A batch stands here while one of its jobs has failed and no other took its place.")
	case farm.BatchDone:
		return say(ctx, "A batch stands here when all of its jobs have ended.")
	}
	return say(ctx, "A batch is listed for the person who submitted it. Names are written as in the list.")
}
