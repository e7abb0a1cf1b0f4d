package command

import (
	"time"

	"overcrank/farm"
)

// PutProject adds a project to a team.
type PutProject struct{ Project farm.Project }

// ChangeProject changes what is named of a project; nil leaves it as it is. A Budget without hours takes the project's away.
type ChangeProject struct {
	Team, ID string
	Name     *string      `json:",omitempty"`
	Archived *bool        `json:",omitempty"`
	Budget   *farm.Budget `json:",omitempty"`
	At       time.Time
}

// PutTeamBudget gives a team a budget of machine hours, or takes it away: nil. With a name it is called that from then on.
type PutTeamBudget struct {
	Team   string
	Name   *string      `json:",omitempty"`
	Budget *farm.Budget `json:",omitempty"`
	At     time.Time
}

func (PutProject) Needs() int    { return ProjectsLevel }
func (ChangeProject) Needs() int { return ProjectsLevel }
func (PutTeamBudget) Needs() int { return ProjectsLevel }
