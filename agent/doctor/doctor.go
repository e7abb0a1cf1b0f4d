// Package doctor examines a workstation: whether what an agent needs is there and works, and what to do where it does not.
package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"overcrank/agent"
	"overcrank/agent/adobe"
	"overcrank/agent/aerender"
	"overcrank/agent/inventory"
	"overcrank/farm"
	"overcrank/farm/codec"
)

// wholeLook is how long taking the inventory of fonts and plug-ins may take.
const wholeLook = 5 * time.Minute

// Health is the state of one thing that was examined.
type Health string

// The states.
const (
	Well   Health = "ok"
	Poor   Health = "warning" // the agent works, but not as well as it could
	Broken Health = "broken"  // the agent needs it, and it does not work
)

// Finding is one thing that was examined.
type Finding struct {
	Check   string  `json:"check"`           // such as engine, films, disk
	About   string  `json:"about,omitempty"` // which one of them, such as After Effects 26.0.2
	Health  Health  `json:"health"`
	Found   string  `json:"found"`
	Mend    string  `json:"mend,omitempty"` // what to do about it
	Seconds float64 `json:"seconds,omitempty"`
}

// Examination is what a doctor found.
type Examination struct {
	Inventory farm.Inventory `json:"inventory"`
	Findings  []Finding      `json:"findings"`
	Healthy   bool           `json:"healthy"`  // nothing is broken
	Enrolled  bool           `json:"enrolled"` // a farm has let the machine in, so that it may give it work
}

// Doctor examines a workstation.
type Doctor struct {
	Config     agent.Config
	EngineTime time.Duration // that the trial of one engine may take
	NoTrials   bool          // no engine is started
	// Tell hears how far the examination is, 0..1, and what is being looked at. It may be nil.
	Tell func(done float64, what string)

	system        inventory.System
	limits        aerender.Limits
	scriptCommand func(aerender, script string) []string
	builds        func([]farm.EngineInfo) []farm.EngineInfo
	codecs        func() []codec.Codec // that have to be written
	findings      []Finding
	enrolled      bool
}

// New prepares an examination of this machine with an agent's settings. Nothing of the farm's is changed by it, and an agent
// that runs meanwhile is not disturbed.
func New(cfg agent.Config) *Doctor {
	return &Doctor{
		Config: cfg, EngineTime: 5 * time.Minute, system: inventory.Here(), codecs: codec.All, builds: func(b []farm.EngineInfo) []farm.EngineInfo { return b },
		scriptCommand: func(engine, script string) []string { return aerender.ScriptCommand(runtime.GOOS, engine, script) },
	}
}

// Examine looks at everything, and renders two frames with each engine. It ends early only with ctx.
func (d *Doctor) Examine(ctx context.Context) (Examination, error) {
	if d.Tell == nil {
		d.Tell = func(float64, string) {}
	}
	d.Config.Logger = slog.New(slog.DiscardHandler)
	if len(d.Config.Coordinators) == 0 { // an agent that was started without settings, as by 'overcrank up', knows them from the farm
		d.Config.Coordinators = agent.KnownCoordinators(d.Config.DataDir)
	}
	if len(d.Config.Coordinators) == 0 {
		d.Config.Coordinators = []string{noCoordinator}
	}
	d.findings, d.enrolled = nil, false
	d.Tell(0, "data folder")
	if !d.dataFolder() {
		return Examination{Inventory: farm.Inventory{Engines: []farm.EngineInfo{}}, Findings: d.findings}, nil
	}
	if err := d.Config.Complete(); err != nil {
		return Examination{}, err
	}
	scratch, err := os.MkdirTemp(d.Config.DataDir, "doctor-")
	if err != nil {
		return Examination{}, fmt.Errorf("making a folder for trials: %w", err)
	}
	defer os.RemoveAll(scratch)
	d.Tell(0.02, "disk")
	d.disk(scratch)
	d.Tell(0.05, "inventory")
	cfg := d.Config
	report := inventory.New(inventory.Config{
		System: d.system, DataDir: cfg.DataDir, Engine: cfg.Engine, Version: cfg.Version, Tags: cfg.Tags, Slots: cfg.Slots, Logger: cfg.Logger,
	}).Take(ctx, wholeLook)
	report.Engines = d.builds(report.Engines)
	d.inventory(report)
	d.Tell(0.15, "ffmpeg")
	d.films(ctx, scratch, report)
	d.Tell(0.2, "coordinator")
	d.coordinators(ctx)
	d.enrolment()
	d.gossip()
	d.roots()
	d.sleep(ctx)
	if !d.NoTrials {
		d.engines(ctx, scratch, report.Engines)
	}
	if err := ctx.Err(); err != nil {
		return Examination{}, context.Cause(ctx)
	}
	if err := agent.AskToLook(cfg.DataDir); err != nil {
		d.add(Finding{Check: "agent", Health: Poor, Found: "a running agent could not be asked to take the inventory again", Mend: "It does so by itself within five minutes."})
	}
	out := Examination{Inventory: report.Inventory, Findings: d.findings, Healthy: true, Enrolled: d.enrolled}
	for _, f := range d.findings {
		out.Healthy = out.Healthy && f.Health != Broken
	}
	return out, nil
}

func (d *Doctor) add(f Finding) { d.findings = append(d.findings, f) }

// inventory reports what stands out in an inventory.
func (d *Doctor) inventory(r inventory.Report) {
	const enough = 16 << 30 // bytes that Adobe asks for
	hasAdobe := len(r.Engines) > 1
	switch {
	case r.Memory == 0:
		d.add(Finding{Check: "memory", Health: Poor, Found: "could not be determined"})
	case hasAdobe && r.Memory < enough-(1<<30):
		d.add(Finding{Check: "memory", Health: Poor, Found: fmt.Sprintf("%s; After Effects requires at least 16 GiB", gib(r.Memory)), Mend: "Add memory, or keep the agent at one slot."})
	default:
		d.add(Finding{Check: "memory", Health: Well, Found: gib(r.Memory)})
	}
	fonts := Finding{Check: "fonts", Health: Well, Found: fmt.Sprintf("%d found", len(r.Fonts))}
	switch {
	case !r.Whole:
		fonts.Health, fonts.Found = Poor, fmt.Sprintf("%d found in %s; there are more", len(r.Fonts), wholeLook)
		fonts.Mend = "Remove fonts that nobody needs. A slow disk or a folder on the network also makes the search slow."
	case len(r.MuteFonts) > 0:
		fonts.Health, fonts.Found = Poor, fmt.Sprintf("%d found; %d font files cannot be read, such as %s", len(r.Fonts), len(r.MuteFonts), r.MuteFonts[0])
		fonts.Mend = "Reinstall or remove these fonts, and check that the agent's account may read them."
	case len(r.Fonts) == 0:
		fonts.Health, fonts.Mend = Poor, "Install the fonts that your projects use, for all users of this machine."
	}
	d.add(fonts)
	if folder := adobe.FontFolder(d.system.OS); hasAdobe && folder != "" {
		d.jobFonts(folder)
	}
	if len(r.Plugins) > 0 {
		d.add(Finding{
			Check: "plug-ins", Health: Poor, Found: fmt.Sprintf("%d do not list their effects: %s", len(r.Plugins), someOf(r.Plugins)),
			Mend: "Jobs that use these effects are not matched with this machine by themselves: give it a tag, and have the jobs require the tag.",
		})
	}
	if r.LeftOut > 0 {
		d.add(Finding{Check: "inventory", Health: Poor, Found: fmt.Sprintf("%d fonts, effects or plug-ins exceed what the farm records of one machine", r.LeftOut), Mend: "Remove what nobody needs."})
	}
}

// someOf is the beginning of a list in words.
func someOf(list []string) string {
	const enough = 5
	text := ""
	for i, s := range list[:min(len(list), enough)] {
		if i > 0 {
			text += ", "
		}
		text += s
	}
	if len(list) > enough {
		text += fmt.Sprintf(" and %d more", len(list)-enough)
	}
	return text
}

func gib(bytes int64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

// roots looks at the folders that jobs may take files from.
func (d *Doctor) roots() {
	for _, root := range d.Config.Roots {
		if _, err := os.ReadDir(root); err != nil {
			d.add(Finding{
				Check: "roots", About: root, Health: Broken, Found: fmt.Sprintf("cannot be read: %v", err),
				Mend: "Mount it for the account that the agent runs as, by its network name and not by a drive letter of somebody's session; or remove it from the agent's settings.",
			})
		} else {
			d.add(Finding{Check: "roots", About: filepath.Clean(root), Health: Well, Found: "can be read"})
		}
	}
}
