package web

import "overcrank/api/route"

// Routes is the table of the pages for people who are signed in.
func Routes() []route.Route { return (&server{}).routes() }
