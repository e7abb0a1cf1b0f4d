package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// Farm is what a farm is at.
type Farm struct {
	Raw      `json:"-"`
	Paused   bool           `json:"paused"`
	Machines map[string]int `json:"machines"` // by state
	Slots    int            `json:"slots"`
	Leased   int            `json:"leased"`
	Ready    int            `json:"ready"`
	Jobs     map[string]int `json:"jobs"` // of the caller's team, by state
	Pace     struct {
		Since  string `json:"since"`
		Done   int    `json:"done"`
		Failed int    `json:"failed"`
	} `json:"pace"`
}

// Level is how a level is served.
type Level struct {
	Paused   bool     `json:"paused"`
	MaxShare float64  `json:"maxShare"`
	Hours    []string `json:"hours"`
	Role     string   `json:"role"`
}

// Levels are all levels.
type Levels struct {
	Raw       `json:"-"`
	Rush      Level `json:"rush"`
	Normal    Level `json:"normal"`
	Overnight Level `json:"overnight"`
}

// LevelChange is what is to be different about a level; nil leaves a field as it is.
type LevelChange struct {
	Paused   *bool     `json:"paused,omitempty"`
	MaxShare *float64  `json:"maxShare,omitempty"`
	Hours    *[]string `json:"hours,omitempty"`
	Role     *string   `json:"role,omitempty"`
}

// Limit bounds how many tasks use something at once.
type Limit struct {
	Raw        `json:"-"`
	Total      int      `json:"total"`
	PerMachine int      `json:"perMachine,omitempty"`
	ByMachine  bool     `json:"byMachine,omitempty"`
	Effects    []string `json:"effects,omitempty"`
}

// Limits are all limits, by name.
type Limits struct {
	Raw
	ByName map[string]Limit
}

// UnmarshalJSON reads the limits.
func (l *Limits) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &l.ByName) }

// QueueEntry is a task in line. What is nil is another team's.
type QueueEntry struct {
	Place    int    `json:"place"`
	Level    string `json:"level"`
	Since    string `json:"since"`
	Job      string `json:"job"`
	JobName  string `json:"jobName"`
	Task     string `json:"task"`
	Kind     string `json:"kind"`
	Priority *int   `json:"priority"`
	// TemplateID is nil also for a project that is no template.
	TemplateID  string `json:"templateId"`
	Composition string `json:"composition"`
}

const (
	farmPath   = "/api/farm/v1/farm"
	policyPath = "/api/farm/v1/policy"
	levelsPath = "/api/farm/v1/levels"
	limitsPath = "/api/farm/v1/limits"

	// largestQueuePage is how many tasks one answer holds at most.
	largestQueuePage = 500
)

// Farm tells what the farm is at.
func (c *Client) Farm(ctx context.Context) (Farm, error) {
	return fetch[Farm](ctx, c, http.MethodGet, farmPath, nil, nil)
}

// TurnFarm pauses or resumes the farm.
func (c *Client) TurnFarm(ctx context.Context, how string) (Farm, error) {
	return fetch[Farm](ctx, c, http.MethodPost, farmPath+"/"+how, nil, nil)
}

// Policy is how the farm shares its machines.
func (c *Client) Policy(ctx context.Context) (Raw, error) {
	return fetch[Raw](ctx, c, http.MethodGet, policyPath, nil, nil)
}

// PutPolicy replaces the policy, or with change only what the body names.
func (c *Client) PutPolicy(ctx context.Context, body any, change bool) (Raw, error) {
	method := http.MethodPut
	if change {
		method = http.MethodPatch
	}
	return fetch[Raw](ctx, c, method, policyPath, nil, body)
}

// Levels tells how the levels are served.
func (c *Client) Levels(ctx context.Context) (Levels, error) {
	return fetch[Levels](ctx, c, http.MethodGet, levelsPath, nil, nil)
}

// ChangeLevel changes how a level is served.
func (c *Client) ChangeLevel(ctx context.Context, level string, change LevelChange) (Levels, error) {
	return fetch[Levels](ctx, c, http.MethodPatch, levelsPath, nil, map[string]LevelChange{level: change})
}

// Limits lists the farm's limits.
func (c *Client) Limits(ctx context.Context) (Limits, error) {
	return fetch[Limits](ctx, c, http.MethodGet, limitsPath, nil, nil)
}

// SetLimit makes or replaces a limit.
func (c *Client) SetLimit(ctx context.Context, name string, limit Limit) (Limit, error) {
	return fetch[Limit](ctx, c, http.MethodPut, limitsPath+at("/%s", name), nil, limit)
}

// DeleteLimit deletes a limit.
func (c *Client) DeleteLimit(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, limitsPath+at("/%s", name))
}

// Queue lists up to limit tasks of those that wait, the next one first.
func (c *Client) Queue(ctx context.Context, limit int) (List[QueueEntry], error) {
	query := url.Values{"limit": {strconv.Itoa(min(limit, largestQueuePage))}}
	return pages[QueueEntry](ctx, c, "/api/farm/v1/queue", query, limit)
}
