package api

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
	"overcrank/farm"
)

// agentBody is a workstation as the farm sees it. It holds nothing of the agent's credential.
type agentBody struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	State      string         `json:"state"`
	Online     bool           `json:"online"`
	Gossip     bool           `json:"gossip"`
	LastSeen   stamp          `json:"lastSeen"`
	EnrolledAt stamp          `json:"enrolledAt"`
	Address    string         `json:"address"`
	Drained    bool           `json:"drained"`
	Paused     bool           `json:"paused"`
	SetAside   *setAsideBody  `json:"setAside"`
	Presence   *presenceBody  `json:"presence"`
	OS         string         `json:"os"`
	OSVersion  string         `json:"osVersion"`
	Arch       string         `json:"arch"`
	CPU        string         `json:"cpu"`
	CPUs       int            `json:"cpus"`
	Memory     int64          `json:"memory"` // bytes
	GPU        string         `json:"gpu"`
	GPUMemory  int64          `json:"gpuMemory"` // bytes
	Disk       int64          `json:"disk"`      // bytes
	DiskFree   int64          `json:"diskFree"`  // bytes
	Version    string         `json:"version"`
	Slots      int            `json:"slots"`
	Engines    []engineBody   `json:"engines"`
	Codecs     []string       `json:"codecs"`
	Tags       []string       `json:"tags"`      // all of them
	GivenTags  []string       `json:"givenTags"` // those that the farm's people gave it
	Fonts      int            `json:"fonts"`     // how many
	Effects    int            `json:"effects"`   // how many
	Running    []runningShape `json:"running"`
}

type engineBody struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Beta    bool   `json:"beta"`
}

// setAsideBody is why the farm gives a machine no work for a while.
type setAsideBody struct {
	Reason string `json:"reason"`
	At     stamp  `json:"at"`
	Until  stamp  `json:"until"`
}

// presenceBody is whether a machine may work by its own rules.
type presenceBody struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
	Until  stamp  `json:"until"`
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

func agentShape(m farm.Machine) agentBody {
	in := m.Inventory
	body := agentBody{
		ID: m.ID, Name: m.Name, State: string(m.State()), Online: m.Online, Gossip: m.Gossip, LastSeen: stamp(m.LastSeen),
		EnrolledAt: stamp(m.EnrolledAt), Address: m.Address, Drained: m.Drained, Paused: m.Paused,
		OS: in.OS, OSVersion: in.OSVersion, Arch: in.Arch, CPU: in.CPU, CPUs: in.CPUs, Memory: in.Memory, GPU: in.GPU, GPUMemory: in.GPUMemory,
		Disk: in.Disk, DiskFree: in.DiskFree, Version: in.Version, Slots: in.Slots, Engines: engineShapes(in.Engines), Codecs: orEmpty(in.Codecs),
		Tags: orEmpty(m.AllTags()), GivenTags: orEmpty(m.Tags), Fonts: len(in.Fonts), Effects: len(in.Effects),
		Running: make([]runningShape, len(m.Running)),
	}
	if aside := m.SetAside; aside != nil {
		body.SetAside = &setAsideBody{Reason: aside.Reason, At: stamp(aside.At), Until: stamp(aside.Until)}
	}
	if m.Presence != "" {
		body.Presence = &presenceBody{State: string(m.Presence), Reason: m.Reason, Until: stamp(m.Until)}
	}
	for i, r := range m.Running {
		body.Running[i] = runningOf(r)
	}
	return body
}

func runningOf(r farm.RunningTask) runningShape {
	return runningShape{
		Job: orNull(r.Job), Task: orNull(r.Task), Attempt: r.Attempt, Phase: r.Phase, Frame: r.Frame, Progress: percent(r.Progress), Since: stamp(r.Since),
	}
}

func engineShapes(engines []farm.EngineInfo) []engineBody {
	out := make([]engineBody, len(engines))
	for i, e := range engines {
		out[i] = engineBody{Kind: e.Kind, Version: e.Version, Beta: e.Beta}
	}
	return out
}

// inventoryBody is all that a machine says it has. Paths are its own affair.
type inventoryBody struct {
	Engines []engineBody `json:"engines"`
	Fonts   []fontUse    `json:"fonts"`
	Effects []string     `json:"effects"`
	Plugins []string     `json:"plugins"`
	Codecs  []string     `json:"codecs"`
	Tags    []string     `json:"tags"`
	LeftOut int          `json:"leftOut"`
	Hash    string       `json:"hash"`
}

// fontUse is a face of a font that a machine has.
type fontUse struct {
	PostScript string `json:"postScript"`
	Family     string `json:"family"`
	Style      string `json:"style"`
}

func inventoryShape(in farm.Inventory) inventoryBody {
	fonts := make([]fontUse, len(in.Fonts))
	for i, f := range in.Fonts {
		fonts[i] = fontUse{PostScript: f.PostScript, Family: f.Family, Style: f.Style}
	}
	return inventoryBody{
		Engines: engineShapes(in.Engines), Fonts: fonts, Effects: orEmpty(in.Effects), Plugins: orEmpty(in.Plugins), Codecs: orEmpty(in.Codecs),
		Tags: orEmpty(in.Tags), LeftOut: in.LeftOut, Hash: in.Hash(),
	}
}

func (s *server) listAgents(c *fiber.Ctx, p farm.Principal) error {
	wrong := &problems{}
	query := farm.AgentQuery{
		States: queryMachineStates(c, "state", wrong), Tag: strings.TrimSpace(c.Query("tag")),
		Limit: queryNumber(c, "limit", listSize, 1, listLimit, wrong), Cursor: queryCursor(c, wrong),
	}
	if err := wrong.err(); err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	machines, next, err := s.farm.Agents(ctx, p, query)
	if err != nil {
		return err
	}
	out := make([]agentBody, len(machines))
	for i, m := range machines {
		out[i] = agentShape(m)
	}
	linkNext(c, next)
	return ok(c, out)
}

func queryMachineStates(c *fiber.Ctx, key string, wrong *problems) (states []farm.MachineState) {
	for _, name := range splitList(c.Query(key)) {
		if !slices.Contains(farm.MachineStates(), farm.MachineState(name)) {
			wrong.add(key, "knows no state %q; the states are offline, paused, set_aside, draining, drained, not_ready, away, rendering, free", name)
			continue
		}
		states = append(states, farm.MachineState(name))
	}
	return states
}

func (s *server) getAgent(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	m, err := s.farm.Agent(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return ok(c, agentShape(m))
}

func (s *server) getInventory(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	m, err := s.farm.Agent(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return ok(c, inventoryShape(m.Inventory))
}

func (s *server) changeAgent(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	change, err := decodeAgentChange(body)
	if err != nil {
		return err
	}
	return s.configureAgent(c, p, change)
}

// turnAgent drains, pauses or resumes a machine.
func (s *server) turnAgent(change coordinator.AgentChange) teamHandler {
	return func(c *fiber.Ctx, p farm.Principal) error { return s.configureAgent(c, p, change) }
}

func (s *server) configureAgent(c *fiber.Ctx, p farm.Principal, change coordinator.AgentChange) error {
	ctx, done := s.call(c)
	defer done()
	m, err := s.farm.ConfigureAgent(ctx, p, c.Params("id"), change)
	if err != nil {
		return err
	}
	return ok(c, agentShape(m))
}

func (s *server) retireAgent(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	if err := s.farm.RetireAgent(ctx, p, c.Params("id")); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

// decodeAgentChange reads what is to be changed. A setAside of false lets a machine work again that failed too often, and an empty
// name gives a machine back its own.
func decodeAgentChange(body []byte) (coordinator.AgentChange, error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return coordinator.AgentChange{}, err
	}
	o.only("name", "drained", "paused", "tags", "setAside")
	change := coordinator.AgentChange{Drained: o.boolean("drained"), Paused: o.boolean("paused")}
	if o.has("name") {
		name := strings.TrimSpace(o.text("name", nameLimit))
		change.Name = &name
	}
	if o.has("tags") {
		tags := readTags(o, "tags")
		change.Tags = &tags
	}
	if aside := o.boolean("setAside"); aside != nil {
		if *aside {
			o.problem("setAside", "can only be false: the farm sets machines aside by itself")
		}
		change.Restore = true
	}
	return change, wrong.err()
}
