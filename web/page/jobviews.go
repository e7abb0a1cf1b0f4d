package page

import "overcrank/farm"

// ViewQuery is what is kept of a filter in a view: all of it but the day that the list begins with.
func ViewQuery(f JobFilter) string { return f.newest().values().Encode() }

// ViewAddress is the list that a view looks at.
func ViewAddress(v farm.JobView) string {
	if v.Query == "" {
		return "/jobs"
	}
	return "/jobs?" + v.Query
}

// view is the reader's view that looks at the list as it is filtered and sorted, nil when there is none.
func (f JobFilter) view(all []farm.JobView) *farm.JobView {
	query := ViewQuery(f)
	for i := range all {
		if all[i].Query == query {
			return &all[i]
		}
	}
	return nil
}
