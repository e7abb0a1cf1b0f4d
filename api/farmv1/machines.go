package farmv1

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/machines"
	"overcrank/farm"
)

// agentBody is a workstation as the farm sees it. It holds nothing of the agent's credential.
type agentBody struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	State      string         `json:"state"`
	Online     bool           `json:"online"`
	Gossip     bool           `json:"gossip"`
	LastSeen   answer.Time    `json:"lastSeen"`
	EnrolledAt answer.Time    `json:"enrolledAt"`
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
	Encoders   []string       `json:"encoders"`
	FFmpeg     *ffmpegBody    `json:"ffmpeg"`
	Tags       []string       `json:"tags"`      // all of them
	GivenTags  []string       `json:"givenTags"` // those that the farm's people gave it
	Fonts      int            `json:"fonts"`     // how many
	Effects    int            `json:"effects"`   // how many
	Hours      []string       `json:"hours"`     // that the farm has set
	Running    []runningShape `json:"running"`
	Load       *loadBody      `json:"load"`
	Rules      *rulesBody     `json:"rules"`
}

// loadBody is how busy a machine is; null what is not known.
type loadBody struct {
	Processor *float64 `json:"processor"` // percent
	Memory    *int64   `json:"memory"`    // bytes
	DiskFree  *int64   `json:"diskFree"`  // bytes
}

func loadShape(l *farm.Load) *loadBody {
	if l == nil {
		return nil
	}
	body := &loadBody{}
	if l.Memory > 0 {
		body.Memory = &l.Memory
	}
	if l.Processor >= 0 {
		percent := answer.Percent(l.Processor)
		body.Processor = &percent
	}
	if l.DiskFree >= 0 {
		body.DiskFree = &l.DiskFree
	}
	return body
}

// rulesBody is when a machine may work by the settings of its own agent.
type rulesBody struct {
	Hours        []string `json:"hours"`
	IdleMinutes  float64  `json:"idleMinutes"`
	LockedIsIdle bool     `json:"lockedIsIdle"`
	MaxOtherLoad int      `json:"maxOtherLoad"`
	Programs     []string `json:"programs"`
	NotOnBattery bool     `json:"notOnBattery"`
	Zone         string   `json:"zone"`
	ZoneOffset   int      `json:"zoneOffset"` // minutes east of UTC
}

func rulesShape(r *farm.WorkRules) *rulesBody {
	if r == nil {
		return nil
	}
	return &rulesBody{
		Hours: answer.Each(r.Hours, farm.Hours.String), IdleMinutes: r.IdleMinutes, LockedIsIdle: r.LockedIsIdle, MaxOtherLoad: r.MaxOtherLoad,
		Programs: answer.OrEmpty(r.Programs), NotOnBattery: r.NotOnBattery, Zone: r.Zone, ZoneOffset: r.ZoneOffset,
	}
}

type engineBody struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Beta    bool   `json:"beta"`
}

// ffmpegBody is the ffmpeg of a machine. Where it lies is the machine's own affair.
type ffmpegBody struct {
	Version string  `json:"version"`
	Licence string  `json:"licence"`
	SHA256  *string `json:"sha256"` // of the build that the farm gave it
}

func ffmpegShape(f *farm.FFmpeg) *ffmpegBody {
	if f == nil {
		return nil
	}
	return &ffmpegBody{Version: f.Version, Licence: f.Licence, SHA256: answer.OrNull(f.SHA256)}
}

// setAsideBody is why the farm gives a machine no work for a while.
type setAsideBody struct {
	Reason string      `json:"reason"`
	At     answer.Time `json:"at"`
	Until  answer.Time `json:"until"`
}

// presenceBody is whether a machine may work by its own rules.
type presenceBody struct {
	State  string      `json:"state"`
	Reason string      `json:"reason"`
	Until  answer.Time `json:"until"`
	// AfterEffects is why After Effects cannot run now, SignedIn a farm.SignedIn, Desk a farm.Desk; null when there is nothing to tell.
	AfterEffects *string `json:"afterEffects"`
	SignedIn     *string `json:"signedIn"`
	Desk         *string `json:"desk"`
}

type runningShape struct {
	Job      *string     `json:"job"` // null, as the task, for another team's
	Task     *string     `json:"task"`
	Attempt  int         `json:"attempt"`
	Phase    string      `json:"phase"`
	Frame    int         `json:"frame"`
	Progress float64     `json:"progress"`
	Since    answer.Time `json:"since"`
}

func agentShape(m farm.Machine) agentBody {
	in := m.Inventory
	body := agentBody{
		ID: m.ID, Name: m.Name, State: string(m.State()), Online: m.Online, Gossip: m.Gossip, LastSeen: answer.Time(m.LastSeen),
		EnrolledAt: answer.Time(m.EnrolledAt), Address: m.Address, Drained: m.Drained, Paused: m.Paused,
		OS: in.OS, OSVersion: in.OSVersion, Arch: in.Arch, CPU: in.CPU, CPUs: in.CPUs, Memory: in.Memory, GPU: in.GPU, GPUMemory: in.GPUMemory,
		Disk: in.Disk, DiskFree: m.DiskFree(), Version: in.Version, Slots: in.Slots, Engines: engineShapes(in.Engines), Codecs: answer.OrEmpty(in.Codecs),
		Encoders: answer.OrEmpty(in.Encoders), FFmpeg: ffmpegShape(in.FFmpeg),
		Tags: answer.OrEmpty(m.AllTags()), GivenTags: answer.OrEmpty(m.Tags), Fonts: len(in.Fonts), Effects: len(in.Effects),
		Hours: answer.Each(m.Hours, farm.Hours.String), Running: make([]runningShape, len(m.Running)), Load: loadShape(m.Load), Rules: rulesShape(m.Rules),
	}
	if aside := m.SetAside; aside != nil {
		body.SetAside = &setAsideBody{Reason: aside.Reason, At: answer.Time(aside.At), Until: answer.Time(aside.Until)}
	}
	if m.Presence != "" {
		body.Presence = &presenceBody{State: string(m.Presence), Reason: m.Reason, Until: answer.Time(m.Until),
			AfterEffects: answer.OrNull(m.AfterEffects), SignedIn: answer.OrNull(string(m.SignedIn)), Desk: answer.OrNull(string(m.Desk()))}
	}
	for i, r := range m.Running {
		body.Running[i] = runningOf(r)
	}
	return body
}

func runningOf(r farm.RunningTask) runningShape {
	return runningShape{
		Job: answer.OrNull(r.Job), Task: answer.OrNull(r.Task), Attempt: r.Attempt, Phase: r.Phase, Frame: r.Frame, Progress: answer.Percent(r.Progress), Since: answer.Time(r.Since),
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
	Engines  []engineBody `json:"engines"`
	Fonts    []fontUse    `json:"fonts"`
	Effects  []string     `json:"effects"`
	Plugins  []string     `json:"plugins"`
	Codecs   []string     `json:"codecs"`
	Encoders []string     `json:"encoders"`
	FFmpeg   *ffmpegBody  `json:"ffmpeg"`
	Tags     []string     `json:"tags"`
	LeftOut  int          `json:"leftOut"`
	Hash     string       `json:"hash"`
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
		Engines: engineShapes(in.Engines), Fonts: fonts, Effects: answer.OrEmpty(in.Effects), Plugins: answer.OrEmpty(in.Plugins), Codecs: answer.OrEmpty(in.Codecs),
		Encoders: answer.OrEmpty(in.Encoders), FFmpeg: ffmpegShape(in.FFmpeg), Tags: answer.OrEmpty(in.Tags), LeftOut: in.LeftOut, Hash: in.Hash(),
	}
}

// Machines is what the interface asks of the farm about machines.
type Machines interface {
	Agents(ctx context.Context, p farm.Principal, q farm.AgentQuery) (list []farm.Machine, next string, err error)
	Agent(ctx context.Context, p farm.Principal, id string) (farm.Machine, error)
	ConfigureAgent(ctx context.Context, p farm.Principal, id string, change farm.AgentChange) (farm.Machine, error)
	RetireAgent(ctx context.Context, p farm.Principal, id string) error
	Equipment(ctx context.Context, p farm.Principal, fonts, effects []string, engine string) (machines.Equipment, error)
}

// machineHandlers answers for the machines that render.
type machineHandlers struct{ machines Machines }

func (h machineHandlers) routes() []route.Route {
	const agents = root + "/agents"
	yes, no := true, false
	return []route.Route{
		route.Get(agents, farm.ActView, h.listAgents),
		route.Get(agents+"/:id", farm.ActView, h.getAgent),
		route.Get(agents+"/:id/inventory", farm.ActView, h.getInventory),
		route.Patch(agents+"/:id", farm.ActRunMachines, h.changeAgent),
		route.Post(agents+"/:id/drain", farm.ActRunMachines, h.turnAgent(farm.AgentChange{Drained: &yes})),
		route.Post(agents+"/:id/pause", farm.ActRunMachines, h.turnAgent(farm.AgentChange{Paused: &yes})),
		route.Post(agents+"/:id/resume", farm.ActRunMachines, h.turnAgent(farm.AgentChange{Drained: &no, Paused: &no, Restore: true})),
		route.Delete(agents+"/:id", farm.ActInviteMachines, h.retireAgent),
	}
}

func (h machineHandlers) listAgents(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	query := farm.AgentQuery{
		States: queryMachineStates(c, "state", wrong), Tag: strings.TrimSpace(c.Query("tag")),
		Limit: input.QueryNumber(c, "limit", input.ListSize, 1, input.ListLimit, wrong), Cursor: input.QueryCursor(c, wrong),
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	machines, next, err := h.machines.Agents(ctx, p, query)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, answer.Each(machines, agentShape))
}

func queryMachineStates(c *fiber.Ctx, key string, wrong *input.Problems) (states []farm.MachineState) {
	for _, name := range input.SplitList(c.Query(key)) {
		if !slices.Contains(farm.MachineStates(), farm.MachineState(name)) {
			wrong.Add(key, "knows no state %q; the states are offline, paused, set_aside, draining, drained, not_ready, away, rendering, free", name)
			continue
		}
		states = append(states, farm.MachineState(name))
	}
	return states
}

func (h machineHandlers) getAgent(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	m, err := h.machines.Agent(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, agentShape(m))
}

func (h machineHandlers) getInventory(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	m, err := h.machines.Agent(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, inventoryShape(m.Inventory))
}

func (h machineHandlers) changeAgent(c *fiber.Ctx, p farm.Principal) error {
	change, err := input.Body(c, decodeAgentChange)
	if err != nil {
		return err
	}
	return h.configureAgent(c, p, change)
}

// turnAgent drains, pauses or resumes a machine.
func (h machineHandlers) turnAgent(change farm.AgentChange) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error { return h.configureAgent(c, p, change) }
}

func (h machineHandlers) configureAgent(c *fiber.Ctx, p farm.Principal, change farm.AgentChange) error {
	ctx, done := request.Call(c)
	defer done()
	m, err := h.machines.ConfigureAgent(ctx, p, c.Params("id"), change)
	if err != nil {
		return err
	}
	return answer.OK(c, agentShape(m))
}

func (h machineHandlers) retireAgent(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.machines.RetireAgent(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}

// decodeAgentChange reads what is to be changed. A setAside of false lets a machine work again that failed too often, and an empty
// name gives a machine back its own.
func decodeAgentChange(body []byte) (farm.AgentChange, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return farm.AgentChange{}, err
	}
	o.Only("name", "drained", "paused", "tags", "hours", "setAside")
	change := farm.AgentChange{Drained: o.Boolean("drained"), Paused: o.Boolean("paused")}
	if o.Has("name") {
		name := strings.TrimSpace(o.Text("name", input.NameLimit))
		change.Name = &name
	}
	if o.Has("tags") {
		tags := input.Tags(o, "tags")
		change.Tags = &tags
	}
	if o.Has("hours") {
		hours := readHours(o)
		if wrong := farm.CheckHours(hours); !wrong.IsZero() {
			o.Problem("hours", "%s", wrong)
		}
		change.Hours = &hours
	}
	if aside := o.Boolean("setAside"); aside != nil {
		if *aside {
			o.Problem("setAside", "can only be false: the farm sets machines aside by itself")
		}
		change.Restore = true
	}
	return change, wrong.Err()
}
