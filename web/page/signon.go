package page

import "overcrank/farm"

// teamName is what a team is called, or its id when there is no such team any more.
func teamName(teams []farm.Team, id string) string {
	for _, t := range teams {
		if t.ID == id {
			return t.Name
		}
	}
	return id + " (deleted)"
}
