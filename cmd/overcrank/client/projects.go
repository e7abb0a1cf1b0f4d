package client

import (
	"context"
	"net/http"
	"net/url"
)

// Budget is how many machine hours may be used, for each "month" or in "total", and what happens then: "warn" or "hold".
type Budget struct {
	Hours float64 `json:"hours"`
	Per   string  `json:"per"`
	Then  string  `json:"then"`
}

// BudgetUse is what was used of a budget, and in all, in machine hours.
type BudgetUse struct {
	Month          string   `json:"month"` // such as 2026-11
	HoursThisMonth float64  `json:"hoursThisMonth"`
	HoursTotal     float64  `json:"hoursTotal"`
	PercentUsed    *float64 `json:"percentUsed"` // nil without a budget
	Held           bool     `json:"held"`
}

// ProjectJobs counts the jobs of a project.
type ProjectJobs struct {
	Active   int `json:"active"` // they wait or render
	Finished int `json:"finished"`
	Failed   int `json:"failed"`
}

// Project is what a team works on.
type Project struct {
	Raw      `json:"-"`
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Archived bool        `json:"archived"`
	Budget   *Budget     `json:"budget"`
	Use      BudgetUse   `json:"use"`
	Jobs     ProjectJobs `json:"jobs"`
}

// IDAndName are what people name it by on the command line.
func (p Project) IDAndName() (id, name string) { return p.ID, p.Name }

// TeamBudget is the budget of a team, and what the team used.
type TeamBudget struct {
	Raw    `json:"-"`
	Budget *Budget   `json:"budget"`
	Use    BudgetUse `json:"use"`
}

// Projects lists the team's projects, with those that are archived too when they are asked for.
func (c *Client) Projects(ctx context.Context, archived bool) (List[Project], error) {
	query := url.Values{}
	if archived {
		query.Set("archived", "true")
	}
	return list[Project](ctx, c, "/api/farm/v1/projects", query)
}

// Project gets a project by its id.
func (c *Client) Project(ctx context.Context, id string) (Project, error) {
	return fetch[Project](ctx, c, http.MethodGet, at("/api/farm/v1/projects/%s", id), nil, nil)
}

// CreateProject makes a project; a nil budget is none.
func (c *Client) CreateProject(ctx context.Context, name string, budget *Budget) (Project, error) {
	body := map[string]any{"name": name}
	if budget != nil {
		body["budget"] = budget
	}
	return fetch[Project](ctx, c, http.MethodPost, "/api/farm/v1/projects", nil, body)
}

// ChangeProject changes the fields of a project that change names: name, and budget, which is nil for none.
func (c *Client) ChangeProject(ctx context.Context, id string, change map[string]any) (Project, error) {
	return fetch[Project](ctx, c, http.MethodPatch, at("/api/farm/v1/projects/%s", id), nil, change)
}

// ArchiveProject archives a project, or reopens it.
func (c *Client) ArchiveProject(ctx context.Context, id string, archived bool) (Project, error) {
	path := "/api/farm/v1/projects/%s/reopen"
	if archived {
		path = "/api/farm/v1/projects/%s/archive"
	}
	return fetch[Project](ctx, c, http.MethodPost, at(path, id), nil, nil)
}

// TeamBudget is the budget of a team, and what the team used.
func (c *Client) TeamBudget(ctx context.Context, team string) (TeamBudget, error) {
	return fetch[TeamBudget](ctx, c, http.MethodGet, at("/api/farm/v1/teams/%s/budget", team), nil, nil)
}

// SetTeamBudget gives a team a budget.
func (c *Client) SetTeamBudget(ctx context.Context, team string, budget Budget) (TeamBudget, error) {
	return fetch[TeamBudget](ctx, c, http.MethodPut, at("/api/farm/v1/teams/%s/budget", team), nil, budget)
}

// DeleteTeamBudget takes the budget of a team away.
func (c *Client) DeleteTeamBudget(ctx context.Context, team string) error {
	return c.do(ctx, http.MethodDelete, at("/api/farm/v1/teams/%s/budget", team))
}
