package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"overcrank/farm"
)

// Agent is a machine that renders.
type Agent struct {
	Raw        `json:"-"`
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	State      farm.MachineState `json:"state"`
	LastSeen   string            `json:"lastSeen"`
	EnrolledAt string            `json:"enrolledAt"`
	Address    string            `json:"address"`
	Drained    bool              `json:"drained"`
	Paused     bool              `json:"paused"`
	SetAside   *SetAside         `json:"setAside"`
	Presence   *Presence         `json:"presence"`
	OS         string            `json:"os"`
	OSVersion  string            `json:"osVersion"`
	CPU        string            `json:"cpu"`
	CPUs       int               `json:"cpus"`
	Memory     int64             `json:"memory"` // bytes
	GPU        string            `json:"gpu"`
	DiskFree   int64             `json:"diskFree"` // bytes
	Version    string            `json:"version"`
	Slots      int               `json:"slots"`
	Engines    []Engine          `json:"engines"`
	Encoders   []string          `json:"encoders"`
	FFmpeg     *FFmpeg           `json:"ffmpeg"`
	Tags       []string          `json:"tags"`
	GivenTags  []string          `json:"givenTags"`
	Hours      []string          `json:"hours"` // that the farm has set; none for always
	Fonts      int               `json:"fonts"`
	Effects    int               `json:"effects"`
	Running    []Running         `json:"running"`
	Load       *Load             `json:"load"`
}

// Load is how busy a machine is; nil what is not known.
type Load struct {
	Processor *float64 `json:"processor"` // percent
	Memory    *int64   `json:"memory"`    // bytes
	DiskFree  *int64   `json:"diskFree"`  // bytes
}

// IDAndName are what people name it by on the command line.
func (a Agent) IDAndName() (id, name string) { return a.ID, a.Name }

// Engine is a program with which a machine renders.
type Engine struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Beta    bool   `json:"beta"`
}

// FFmpeg is the ffmpeg that a machine uses.
type FFmpeg struct {
	Version string `json:"version"`
	Licence string `json:"licence"`
	SHA256  string `json:"sha256"` // of the build that the farm gave it, "" for the machine's own
}

// SetAside is why the farm gives a machine no work for a while.
type SetAside struct {
	Reason string `json:"reason"`
	Until  string `json:"until"`
}

// Presence is whether a machine may work by its own rules.
type Presence struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
	Until  string `json:"until"`
	// AfterEffects is why After Effects cannot run now, SignedIn whether somebody is signed in at the machine, Desk what goes on before it; empty when there
	// is nothing to tell.
	AfterEffects string        `json:"afterEffects"`
	SignedIn     farm.SignedIn `json:"signedIn"`
	Desk         farm.Desk     `json:"desk"`
}

// Desk is what goes on before the machine, as far as the farm knows.
func (a Agent) Desk() farm.Desk {
	if a.Presence == nil || a.State == farm.MachineOffline {
		return farm.DeskUnknown
	}
	return a.Presence.Desk
}

// Running is a task that a machine has. Another team's has no names.
type Running struct {
	Job      string  `json:"job"`
	Task     string  `json:"task"`
	Attempt  int     `json:"attempt"`
	Phase    string  `json:"phase"`
	Frame    int     `json:"frame"`
	Progress float64 `json:"progress"` // percent
	Since    string  `json:"since"`
}

// AgentChange is what is wanted of a machine; nil leaves a field as it is.
type AgentChange struct {
	Name *string   `json:"name,omitempty"`
	Tags *[]string `json:"tags,omitempty"`
	// Hours are windows of the week in which the farm gives it work; empty for always.
	Hours *[]string `json:"hours,omitempty"`
}

const agentsPath = "/api/farm/v1/agents"

// largestAgentPage is how many machines one answer holds at most.
const largestAgentPage = 1000

// Agents lists all machines in some states and with a tag; no states and "" mean all.
func (c *Client) Agents(ctx context.Context, states, tag string) (List[Agent], error) {
	query := url.Values{"limit": {strconv.Itoa(largestAgentPage)}}
	if states != "" {
		query.Set("state", states)
	}
	if tag != "" {
		query.Set("tag", tag)
	}
	return pages[Agent](ctx, c, agentsPath, query, 0)
}

// Agent gets one machine.
func (c *Client) Agent(ctx context.Context, id string) (Agent, error) {
	return fetch[Agent](ctx, c, http.MethodGet, agentsPath+at("/%s", id), nil, nil)
}

// ChangeAgent changes what is wanted of a machine.
func (c *Client) ChangeAgent(ctx context.Context, id string, change AgentChange) (Agent, error) {
	return fetch[Agent](ctx, c, http.MethodPatch, agentsPath+at("/%s", id), nil, change)
}

// TurnAgent drains, pauses or resumes a machine.
func (c *Client) TurnAgent(ctx context.Context, id, how string) (Agent, error) {
	return fetch[Agent](ctx, c, http.MethodPost, agentsPath+at("/%s/%s", id, how), nil, nil)
}

// RemoveAgent removes a machine from the farm.
func (c *Client) RemoveAgent(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, agentsPath+at("/%s", id))
}
