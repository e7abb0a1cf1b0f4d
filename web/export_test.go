package web

import "overcrank/farm"

// Route is a line of the table of pages.
type Route struct {
	Method, Path string
	Action       farm.Action
}

// Routes is the table of the pages for people who are signed in.
func Routes() (out []Route) {
	for _, r := range (&server{}).routes() {
		out = append(out, Route{r.method, r.path, r.action})
	}
	return out
}
