package api

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// machineBody is a workstation as the farm sees it. It holds nothing of the agent's credential.
type machineBody struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Online   bool           `json:"online"`
	Gossip   bool           `json:"gossip"`
	LastSeen stamp          `json:"lastSeen"`
	Address  string         `json:"address"`
	OS       string         `json:"os"`
	Arch     string         `json:"arch"`
	CPUs     int            `json:"cpus"`
	Memory   int64          `json:"memory"` // bytes
	Version  string         `json:"version"`
	Slots    int            `json:"slots"`
	Engines  []engineBody   `json:"engines"`
	Codecs   []string       `json:"codecs"`
	Tags     []string       `json:"tags"`
	Fonts    int            `json:"fonts"` // how many
	Running  []runningShape `json:"running"`
}

type engineBody struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
}

type runningShape struct {
	Job      *string `json:"job"` // null, as the task, for another team's
	Task     *string `json:"task"`
	Attempt  int     `json:"attempt"`
	Phase    string  `json:"phase"`
	Frame    int     `json:"frame"`
	Progress float64 `json:"progress"`
	Since    stamp   `json:"since"`
}

func machineShape(m farm.Machine) machineBody {
	in := m.Inventory
	body := machineBody{
		ID: m.ID, Name: m.Name, Online: m.Online, Gossip: m.Gossip, LastSeen: stamp(m.LastSeen), Address: m.Address,
		OS: in.OS, Arch: in.Arch, CPUs: in.CPUs, Memory: in.Memory, Version: in.Version, Slots: in.Slots,
		Engines: make([]engineBody, len(in.Engines)), Codecs: orEmpty(in.Codecs), Tags: orEmpty(in.Tags), Fonts: len(in.Fonts),
		Running: make([]runningShape, len(m.Running)),
	}
	for i, e := range in.Engines {
		body.Engines[i] = engineBody{Kind: e.Kind, Version: e.Version}
	}
	for i, r := range m.Running {
		body.Running[i] = runningShape{
			Job: orNull(r.Job), Task: orNull(r.Task), Attempt: r.Attempt, Phase: r.Phase, Frame: r.Frame, Progress: percent(r.Progress), Since: stamp(r.Since),
		}
	}
	return body
}

func (s *server) listMachines(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	machines, err := s.farm.Machines(ctx, p)
	if err != nil {
		return err
	}
	out := make([]machineBody, len(machines))
	for i, m := range machines {
		out[i] = machineShape(m)
	}
	return ok(c, out)
}

func (s *server) getInfo(c *fiber.Ctx, _ farm.Principal) error {
	return ok(c, map[string]string{"version": s.version})
}

// alive answers as long as the process serves requests at all.
func (s *server) alive(c *fiber.Ctx) error {
	return ok(c, map[string]string{"status": "ok"})
}

// ready answers whether work can be taken, and why not.
func (s *server) ready(c *fiber.Ctx) error {
	if err := s.farm.Ready(); err != nil {
		c.Set(fiber.HeaderRetryAfter, retryAfter[fiber.StatusServiceUnavailable])
		return sendJSON(c, fiber.StatusServiceUnavailable, errorBody{Error: err.Error()})
	}
	return ok(c, map[string]string{"status": "ready"})
}
