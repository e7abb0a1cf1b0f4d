package page

import (
	"context"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/machines"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// Machine is a workstation as the pages show it.
type Machine struct {
	farm.Machine
	Jobs   []Job // of the reader's team, that it renders
	Others int   // tasks of other teams
	Runs   []Run // tasks at work, in lists
	Recent []RecentAttempt
	Framed bool // it has shown its first frame
}

// RecentAttempt is an attempt that has ended on a machine, with the job that it was for.
type RecentAttempt struct {
	farm.AttemptRecord
	Job, Title string
	Kind       farm.TaskKind
}

// MachineState is the word, the class and the shape of a machine's state.
func MachineState(s farm.MachineState) State {
	state := State{Word: wording.Machine(s), Class: "cancelled"}
	switch s {
	case farm.MachineFree:
		state.Class = "free"
	case farm.MachineRendering:
		state.Class = "rendering"
	case farm.MachineAway:
		state.Class = "away"
	case farm.MachineDraining, farm.MachineDrained:
		state.Class = "draining"
	case farm.MachinePaused:
		state.Class = "held"
	case farm.MachineNotReady, farm.MachineSetAside:
		state.Class = "error"
	}
	return state
}

// Look is how the machine's state is shown.
func (m Machine) Look() State {
	if m.State() == farm.MachineOffline && m.Gossip {
		return State{language.Text("can’t reach the coordinator"), "error"}
	}
	return MachineState(m.State())
}

// Standing says what lies behind the machine's state, "" when the state says all; until is when that may change.
func (m Machine) Standing(ctx context.Context) (words string, until time.Time) {
	switch m.State() {
	case farm.MachineOffline:
		words := say(ctx, "Its agent is not connected.")
		if m.Paused || m.Drained {
			words += " " + say(ctx, "When it comes back, it gets no work until somebody resumes it.")
		}
		return words, time.Time{}
	case farm.MachinePaused:
		return say(ctx, "It gets no work until somebody resumes it."), time.Time{}
	case farm.MachineSetAside:
		return say(ctx, "It failed too often: %s", sentence(heard(ctx, m.SetAside.Reason))), m.SetAside.Until
	case farm.MachineDraining:
		return say(ctx, "It finishes its work and takes no more."), time.Time{}
	case farm.MachineDrained:
		return say(ctx, "It gets no work until somebody resumes it."), time.Time{}
	case farm.MachineNotReady:
		return sentence(heard(ctx, m.Reason)), m.Until
	case farm.MachineAway:
		if m.Reason == "" {
			return say(ctx, "Its own schedule keeps it from working now."), m.Until
		}
		return sentence(heard(ctx, m.Reason)), m.Until
	}
	if m.AfterEffects != "" {
		return say(ctx, "It takes work without After Effects, which cannot run now: %s.", heard(ctx, m.AfterEffects)), time.Time{}
	}
	return "", time.Time{}
}

// Held tells whether the machine gets no work because of somebody's or the farm's wish, which Resume ends.
func (m Machine) Held() bool { return m.Paused || m.Drained || m.SetAside != nil }

// pauseCosts says what is lost when the machine is paused while it renders.
func (m Machine) pauseCosts(ctx context.Context) string {
	furthest := 0.0
	for _, r := range m.Running {
		furthest = max(furthest, r.Progress)
	}
	return many(ctx, len(m.Running), "Pause “%[2]s”? It gives back %[1]d render, up to %[3]s done.", "Pause “%[2]s”? It gives back %[1]d renders, up to %[3]s done.",
		m.Name, percentWords(ctx, furthest)) + " " + givenBackWords(ctx)
}

// pauseWords say what it is to pause a machine.
func pauseWords(ctx context.Context) string {
	return say(ctx, "Stops now; other machines take over its work.") + " " + givenBackWords(ctx)
}

func givenBackWords(ctx context.Context) string {
	return say(ctx, wording.GivenBack()) + " " + say(ctx, wording.DrainFirst())
}

// deskWords say what goes on before the machine, "" while that is not known.
func (m Machine) deskWords(ctx context.Context) string {
	if !m.Online {
		return ""
	}
	return wording.Title(say(ctx, wording.Desk(m.Desk())))
}

// FrameWords say what stands in the place of a machine's first frame, "" where there is nothing to say.
func (m Machine) FrameWords(ctx context.Context) string {
	if m.NoFrame == "" || m.State() == farm.MachineOffline {
		return ""
	}
	return say(ctx, "It could not render its first frame: %s", sentence(heard(ctx, m.NoFrame)))
}

func (m Machine) path() string { return "/machines/" + m.ID }

// slotWords say how many of the machine's tasks at once are taken.
func (m Machine) slotWords(ctx context.Context) string {
	slots := max(m.Inventory.Slots, 1)
	return say(ctx, "%d of %d taken", len(m.Running), slots)
}

// MachinePageValues is a machine's own page.
type MachinePageValues struct {
	Machine
	Query string   // what was looked for among its fonts, effects and plug-ins
	Fonts []string // that the search found, or the first of all
	Found int      // fonts that the search found
	Day   MachineDay
	// Compared is what it lacks against the others; Now is when the page was made.
	Compared machines.Comparison
	Now      time.Time
	// what the form held when it was refused, and why
	Error string
	Field string
}

// machineListed is how many fonts, effects or plug-ins a page lists.
const machineListed = 200

// Finds keeps the fonts of the machine that have the words of a search in their names.
func (v *MachinePageValues) Finds(query string) {
	v.Query = strings.TrimSpace(query)
	words := strings.Fields(strings.ToLower(v.Query))
	for _, f := range v.Inventory.Fonts {
		line := strings.TrimSpace(f.Family + " " + f.Style)
		if f.PostScript != "" && f.PostScript != line {
			line += " (" + f.PostScript + ")"
		}
		lower := strings.ToLower(line)
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(lower, w) }) {
			continue
		}
		if v.Found++; len(v.Fonts) < machineListed {
			v.Fonts = append(v.Fonts, line)
		}
	}
}

func firstOf(list []string) []string { return list[:min(len(list), machineListed)] }

// engineName is an engine as people call it.
func engineName(ctx context.Context, e farm.EngineInfo) string {
	name := "After Effects " + e.Version
	if e.Kind == farm.EngineEmbedded {
		name = say(ctx, "Overcrank, embedded")
	}
	if e.Beta {
		name += " (Beta)"
	}
	return name
}

func systemWords(inv farm.Inventory) string {
	system := map[string]string{"darwin": "macOS", "windows": "Windows", "linux": "Linux"}[inv.OS]
	if system == "" {
		system = inv.OS
	}
	if inv.OSVersion != "" {
		return inv.OSVersion
	}
	return system + " " + inv.Arch
}

func graphicsWords(ctx context.Context, inv farm.Inventory) string {
	if inv.GPUMemory == 0 {
		return inv.GPU
	}
	return inv.GPU + ", " + inWords(ctx).Size(inv.GPUMemory)
}

func diskWords(ctx context.Context, inv farm.Inventory) string {
	return say(ctx, "%s free of %s", inWords(ctx).Size(inv.DiskFree), inWords(ctx).Size(inv.Disk))
}

// ffmpegWords are which ffmpeg a machine has, from where, and what of it films are written with.
func ffmpegWords(ctx context.Context, inv farm.Inventory) string {
	words := inv.FFmpeg.Version
	if inv.FFmpeg.Licence != "" {
		words += " (" + inv.FFmpeg.Licence + ")"
	}
	if inv.FFmpeg.SHA256 != "" {
		words += ", " + say(ctx, "given by the farm")
	}
	if len(inv.Encoders) > 0 {
		words += ", " + say(ctx, "writes with %s", commas(inv.Encoders))
	}
	return words
}

// Invitations is the page on which machines are invited.
type Invitations struct {
	Open []farm.JoinToken
	Now  time.Time
	Made *farm.JoinToken // just made
	// Secret is the text of the one just made, shown this once; Address is where its machine finds the farm.
	Secret, Address string

	// what the form held when it was refused, and why
	Name, Tags, Uses, Life, Error string
}

// InviteLives are how long an invitation may be open, the usual one first.
var InviteLives = []struct {
	Name, Words string
	For         time.Duration
}{
	{"1d", language.Text("A day"), 24 * time.Hour}, {"1h", language.Text("An hour"), time.Hour}, {"7d", language.Text("A week"), 7 * 24 * time.Hour}, {"30d", language.Text("30 days"), 30 * 24 * time.Hour},
}

// posixCommand starts an agent with an invitation on macOS and Linux, windowsCommand in PowerShell.
func (v Invitations) posixCommand() string {
	return "OVERCRANK_JOIN_TOKEN='" + v.Secret + "' overcrank agent --coordinator " + v.Address
}

func (v Invitations) windowsCommand() string {
	return "$env:OVERCRANK_JOIN_TOKEN = '" + v.Secret + "'; overcrank.exe agent --coordinator " + v.Address
}
