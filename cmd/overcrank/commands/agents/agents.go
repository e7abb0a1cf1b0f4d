// Package agents has the commands about the machines that render, and about the tokens with which they join.
package agents

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Commands are those below overcrank agents.
type Commands struct {
	List   listCommand   `cmd:"" default:"withargs" help:"List the machines that render."`
	Show   showCommand   `cmd:"" help:"Show one machine: what it has, what it does, and why it gets no work."`
	Drain  drainCommand  `cmd:"" help:"Let machines finish their tasks, and give them no more."`
	Pause  pauseCommand  `cmd:"" help:"Take the tasks of machines back, and give them no more."`
	Resume resumeCommand `cmd:"" help:"Return machines to work that were drained, paused or set aside."`
	Tag    tagCommand    `cmd:"" help:"Add tags to a machine, or remove them."`
	Hours  hoursCommand  `cmd:"" help:"Set the hours at which the farm gives machines work."`
	Rename renameCommand `cmd:"" help:"Rename a machine."`
	Remove removeCommand `cmd:"" help:"Remove machines from the farm, at once."`

	Package  packageCommand `cmd:"" help:"Get a package to install machines with, together with an invitation."`
	Packages packages       `cmd:"" help:"Add, list and remove the packages that the farm keeps for its machines."`

	Invite      inviteCommand      `cmd:"" help:"Create a join token, with which machines become agents of the farm."`
	Invitations invitationsCommand `cmd:"" help:"List join tokens: who created them, how many machines may still join, when they were last used."`
	Revoke      revokeCommand      `cmd:"" help:"Revoke join tokens, at once; machines that joined with them stay."`
}

// findAgent gives the machine that ref names, by its id or its name.
func findAgent(ctx context.Context, c *client.Client, ref string) (client.Agent, error) {
	if remote.IsID(ref) {
		return c.Agent(ctx, ref)
	}
	all, err := c.Agents(ctx, "", "")
	if err != nil {
		return client.Agent{}, err
	}
	return remote.Pick(all.Items, "machine", ref)
}

type listCommand struct {
	State []string `help:"Only machines in these states: offline, paused, set_aside, draining, drained, not_ready, away, rendering, free." complete:"agentstate"`
	Tag   string   `help:"Only machines that carry this tag."`
	remote.Flags
}

// Run lists the machines by name.
func (l listCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	all, err := c.Agents(ctx, strings.Join(l.State, ","), l.Tag)
	return l.Print(out, all, err, func() error {
		slices.SortStableFunc(all.Items, func(a, b client.Agent) int { return strings.Compare(a.Name, b.Name) })
		t := terminal.NewTable("MACHINE", "NAME", "STATE", "DESK", "BUSY", "LOAD", "MEMORY", "DISK FREE", "ENGINES", "VERSION", "TAGS", "REMARK")
		for _, a := range all.Items {
			busy := fmt.Sprintf("%d of %d", len(a.Running), a.Slots)
			t.Row(a.ID, a.Name, wording.Machine(a.State), wording.Desk(a.Desk()), busy, loadWord(a), memoryWords(a), terminal.Size(a.DiskFree), strings.Join(engineWords(a), ", "), a.Version, strings.Join(a.Tags, ", "), agentRemark(a))
		}
		return out.List(t, "No machines. Invite one with: overcrank agents invite --for NAME")
	})
}

// loadWord is how busy a machine's processors are, "" when it does not tell.
func loadWord(a client.Agent) string {
	if a.Load == nil || a.Load.Processor == nil {
		return ""
	}
	return strings.TrimSpace(terminal.Percent(*a.Load.Processor))
}

// memoryWords are how much of its memory a machine uses.
func memoryWords(a client.Agent) string {
	if a.Load == nil || a.Load.Memory == nil {
		return terminal.Size(a.Memory)
	}
	return terminal.Size(*a.Load.Memory) + " of " + terminal.Size(a.Memory)
}

// agentRemark is why a machine gets no work, or since when it is gone.
func agentRemark(a client.Agent) string {
	switch {
	case a.State == farm.MachineOffline:
		var words []string
		if a.LastSeen != "" {
			words = append(words, "last seen "+terminal.LocalTime(a.LastSeen))
		}
		if held := heldWord(a); held != "" {
			words = append(words, held)
		}
		return strings.Join(words, ", ")
	case a.SetAside != nil && a.State == farm.MachineSetAside:
		return a.SetAside.Reason + until(a.SetAside.Until)
	case a.Presence != nil && (a.State == farm.MachineAway || a.State == farm.MachineNotReady):
		return a.Presence.Reason + until(a.Presence.Until)
	case a.Presence != nil && a.Presence.AfterEffects != "":
		return "no After Effects now: " + a.Presence.AfterEffects
	}
	return ""
}

// heldWord says what an operator wants of a machine, "" for nothing.
func heldWord(a client.Agent) string {
	switch {
	case a.Paused:
		return "paused"
	case a.Drained:
		return "drained"
	}
	return ""
}

func until(iso string) string {
	if iso == "" {
		return ""
	}
	return ", until " + terminal.LocalTime(iso)
}

func engineWords(a client.Agent) []string {
	words := make([]string, len(a.Engines))
	for i, e := range a.Engines {
		switch e.Kind {
		case "aftereffects":
			words[i] = "After Effects " + e.Version
		default:
			words[i] = e.Kind
		}
		if e.Beta {
			words[i] += " (Beta)"
		}
	}
	return words
}

// agentRef is a machine on the command line.
type agentRef struct {
	Agent string `arg:"" name:"machine" help:"Id or name of the machine." complete:"agent"`
}

// agentRefs are machines on the command line.
type agentRefs struct {
	Agents []string `arg:"" name:"machine" help:"Ids or names of machines." complete:"agent"`
}

type showCommand struct {
	agentRef
	remote.Flags
}

// Run shows a machine.
func (s showCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	found, err := findAgent(ctx, c, s.Agent)
	if err != nil {
		return err
	}
	if s.JSON {
		a, err := c.Agent(ctx, found.ID)
		if err != nil {
			return err
		}
		return out.Answer(a.JSON())
	}
	return out.Table(agentTable(found))
}

func agentTable(a client.Agent) *terminal.Table {
	t := terminal.NewTable()
	row := func(name, value string) {
		if value != "" {
			t.Row(name, value)
		}
	}
	row("machine", a.ID)
	row("name", a.Name)
	row("state", wording.Machine(a.State))
	row("remark", agentRemark(a))
	row("desk", wording.Desk(a.Desk()))
	row("address", a.Address)
	row("enrolled", terminal.LocalTime(a.EnrolledAt))
	row("system", strings.TrimSpace(a.OS+" "+a.OSVersion))
	row("processor", strings.TrimSpace(fmt.Sprintf("%s × %d", a.CPU, a.CPUs)))
	row("load", loadWord(a))
	row("memory", memoryWords(a))
	row("graphics", a.GPU)
	row("free disk", terminal.Size(a.DiskFree))
	row("overcrank", a.Version)
	row("engines", strings.Join(engineWords(a), ", "))
	if f := a.FFmpeg; f != nil {
		words := strings.TrimSpace(f.Version + " " + f.Licence)
		if f.SHA256 != "" {
			words += ", given by the farm"
		}
		row("ffmpeg", words)
	}
	row("encoders", strings.Join(a.Encoders, ", "))
	row("fonts", strconv.Itoa(a.Fonts))
	row("added effects", strconv.Itoa(a.Effects))
	row("tags", strings.Join(a.Tags, ", "))
	row("given tags", strings.Join(a.GivenTags, ", "))
	row("hours", hoursSaid(a.Hours))
	row("slots", strconv.Itoa(a.Slots))
	for _, r := range a.Running {
		words := "another team's, " + r.Phase
		if r.Task != "" {
			words = fmt.Sprintf("%s, %s, %s", r.Task, r.Phase, strings.TrimSpace(terminal.Percent(r.Progress)))
		}
		row("does", words+", since "+terminal.LocalTime(r.Since))
	}
	return t
}

type drainCommand struct {
	agentRefs
	remote.Flags
}

// Run drains machines.
func (a drainCommand) Run(ctx context.Context, out *terminal.Output) error {
	return turnAgents(ctx, a.Flags, out, "drain", a.Agents)
}

type pauseCommand struct {
	agentRefs
	remote.Flags
}

// Help is for the parser of the command line.
func (pauseCommand) Help() string {
	return `What a machine renders is given back at once. Frames are kept where other machines can go on with them: of films that
are split, and on machines where somebody may come back. Any other film begins anew elsewhere. 'overcrank agents drain' lets a
machine finish what it has first.`
}

// Run pauses machines, and says before what that may cost.
func (a pauseCommand) Run(ctx context.Context, out *terminal.Output) error {
	return eachAgent(ctx, a.Flags, out, a.Agents, func(c *client.Client, m client.Agent) (client.Agent, error) {
		for _, r := range m.Running {
			if r.Task != "" && !a.JSON {
				fmt.Fprintf(out, "%s gives back task %s at %s. %s ('overcrank agents drain' lets a machine finish first)\n",
					m.Name, r.Task, strings.TrimSpace(terminal.Percent(r.Progress)), wording.GivenBack())
			}
		}
		return c.TurnAgent(ctx, m.ID, "pause")
	})
}

type resumeCommand struct {
	agentRefs
	remote.Flags
}

// Run lets machines work again.
func (a resumeCommand) Run(ctx context.Context, out *terminal.Output) error {
	return turnAgents(ctx, a.Flags, out, "resume", a.Agents)
}

func turnAgents(ctx context.Context, r remote.Flags, out *terminal.Output, how string, refs []string) error {
	return eachAgent(ctx, r, out, refs, func(c *client.Client, a client.Agent) (client.Agent, error) { return c.TurnAgent(ctx, a.ID, how) })
}

// eachAgent does something with machines one after the other, and prints what each is at then.
func eachAgent(ctx context.Context, r remote.Flags, out *terminal.Output, refs []string, do func(*client.Client, client.Agent) (client.Agent, error)) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	return r.PrintEach(out, refs, func(ref string) (remote.Answer, string, error) {
		a, err := findAgent(ctx, c, ref)
		if err == nil {
			a, err = do(c, a)
		}
		if err != nil {
			return nil, "", err
		}
		line := fmt.Sprintf("%s %s: %s", a.ID, a.Name, wording.Machine(a.State))
		if held := heldWord(a); held != "" && a.State == farm.MachineOffline {
			line += ", " + held
		}
		if len(a.Tags) > 0 {
			line += ", with the tags " + strings.Join(a.Tags, ", ")
		}
		return a, line, nil
	})
}

type tagCommand struct {
	agentRef
	Tags   []string `arg:"" optional:"" name:"tag" help:"Tags."`
	Remove bool     `help:"Remove these tags instead of adding them."`
	Clear  bool     `help:"Remove all tags that were added here first."`
	remote.Flags
}

// Help is for the parser of the command line.
func (tagCommand) Help() string {
	return `Tags that a machine brings itself, by its own settings, stay with it.`
}

// Run changes a machine's tags.
func (a tagCommand) Run(ctx context.Context, out *terminal.Output) error {
	if len(a.Tags) == 0 && !a.Clear {
		return exit.Usagef("which tags? Name them, or take all away with --clear")
	}
	return eachAgent(ctx, a.Flags, out, []string{a.Agent}, func(c *client.Client, agent client.Agent) (client.Agent, error) {
		tags := slices.Clone(agent.GivenTags)
		if a.Clear {
			tags = []string{}
		}
		for _, tag := range a.Tags {
			tags = slices.DeleteFunc(tags, func(other string) bool { return other == tag })
			if !a.Remove {
				tags = append(tags, tag)
			}
		}
		return c.ChangeAgent(ctx, agent.ID, client.AgentChange{Tags: &tags})
	})
}

type renameCommand struct {
	agentRef
	Name string `arg:"" optional:"" help:"The new name; without one the machine gets its own name back."`
	remote.Flags
}

// Run renames a machine.
func (a renameCommand) Run(ctx context.Context, out *terminal.Output) error {
	return eachAgent(ctx, a.Flags, out, []string{a.Agent}, func(c *client.Client, agent client.Agent) (client.Agent, error) {
		return c.ChangeAgent(ctx, agent.ID, client.AgentChange{Name: &a.Name})
	})
}

type removeCommand struct {
	agentRefs
	remote.Farm
}

// Help is for the parser of the command line.
func (removeCommand) Help() string {
	return `Their certificates open nothing any more, and what they have goes to others. A machine comes back only with a new join token.`
}

// Run removes machines.
func (a removeCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	agents := make([]client.Agent, len(a.Agents))
	for i, ref := range a.Agents {
		if agents[i], err = findAgent(ctx, c, ref); err != nil {
			return err
		}
	}
	for _, agent := range agents {
		if err := c.RemoveAgent(ctx, agent.ID); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s %s removed\n", agent.ID, agent.Name)
	}
	return nil
}
