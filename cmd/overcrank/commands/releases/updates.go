package releases

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Updates are the commands below overcrank updates.
type Updates struct {
	Show   show   `cmd:"" default:"withargs" help:"Show which release machines are to run, and what each runs."`
	Set    set    `cmd:"" help:"Choose a release, or change how machines get it."`
	Resume resume `cmd:"" help:"Let a release go on that was stopped because a machine rolled it back."`
}

type show struct{ remote.Flags }

func (s show) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	u, err := c.Updates(ctx)
	return s.Print(out, u, err, func() error { return printUpdates(out, u) })
}

func printUpdates(out *terminal.Output, u client.Updates) error {
	t := terminal.NewTable()
	wanted := "none: machines stay as they are"
	if u.Release != nil {
		wanted = *u.Release
		if u.Ring != nil {
			wanted += ", in the ring " + *u.Ring
		}
	}
	t.Row("release", wanted)
	if u.Stopped != nil {
		t.Row("stopped", u.Stopped.Reason+", "+terminal.LocalTime(u.Stopped.At)+": overcrank updates resume continues it")
	} else if u.Waiting != "" {
		t.Row("next", u.Waiting)
	}
	canary := append([]string(nil), u.CanaryMachines...)
	for _, tag := range u.CanaryTags {
		canary = append(canary, "tag:"+tag)
	}
	t.Row("canary", orNone(canary))
	window := "at any time"
	if len(u.Hours) > 0 {
		window = strings.Join(u.Hours, "; ")
	}
	t.Row("window", window)
	pace := "any"
	if u.BytesPerSecond > 0 {
		pace = terminal.Size(u.BytesPerSecond) + " a second for each machine"
	}
	t.Row("bandwidth", pace)
	t.Row("pace", fmt.Sprintf("%d machines at once, %d minutes between rings", u.AtOnce, u.SoakMinutes))
	if err := out.Table(t); err != nil {
		return err
	}
	return out.List(machineTable(u.Machines), "No machines.")
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

func machineTable(list []client.MachineUpdate) *terminal.Table {
	t := terminal.NewTable("MACHINE", "RUNS", "RING", "STATE", "REASON")
	for _, m := range list {
		ring, state := m.Ring, ""
		switch {
		case m.Mode == nil:
			ring = "unknown"
		case *m.Mode != string(farm.UpdatedByFarm):
			ring = wording.UpdateMode(farm.UpdateMode(*m.Mode))
		}
		if m.State != nil {
			state = wording.Update(farm.UpdateState(*m.State))
			if m.Release != nil && *m.Release != m.Version {
				state += " " + *m.Release
			}
		}
		t.Row(m.Name, m.Version, ring, state, m.Reason)
	}
	return t
}

type set struct {
	Release   *string   `help:"Version that machines are to run; none to leave them as they are." placeholder:"VERSION"`
	Ring      *string   `help:"Who gets a release first: canary=MACHINE,tag:TAG,... by ids or names of machines, and by tags." placeholder:"canary=..."`
	Window    *[]string `help:"When machines update, in the farm's time zone; repeat it for several, any for any time." sep:";" placeholder:"DAYS FROM-TO"`
	Bandwidth *string   `help:"How much a machine downloads in a second at most, such as 2MB; 0 for any." placeholder:"SIZE"`
	AtOnce    *int      `help:"How many machines update at the same time."`
	Soak      *int      `help:"How many minutes a ring works with a release before the next ring gets it." placeholder:"MINUTES"`
	remote.Flags
}

func (set) Help() string {
	return `    overcrank updates set --ring canary=tag:canary,ws-07 --window "mon-fri 19:00-08:00" --bandwidth 2MB
    overcrank updates set --release 0.2.0

A release goes to the canary ring, then to a tenth of the machines, then to all. A machine that rolls it back stops it.`
}

func (s set) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	change := client.UpdatesChange{Release: s.Release, Hours: s.Window, AtOnce: s.AtOnce, SoakMinutes: s.Soak}
	if s.Release != nil && *s.Release == "none" {
		change.Release = new(string)
	}
	if s.Window != nil && len(*s.Window) == 1 && (*s.Window)[0] == "any" {
		change.Hours = &[]string{}
	}
	if s.Bandwidth != nil {
		n, err := readPace(*s.Bandwidth)
		if err != nil {
			return exit.Usagef("--bandwidth: %w", err)
		}
		change.BytesPerSecond = &n
	}
	if s.Ring != nil {
		if err := s.canary(ctx, c, &change); err != nil {
			return err
		}
	}
	if change == (client.UpdatesChange{}) {
		return exit.Usagef("nothing is to be changed: see overcrank updates set --help")
	}
	u, err := c.ChangeUpdates(ctx, change)
	return s.Print(out, u, err, func() error { return printUpdates(out, u) })
}

// canary reads who is in the canary ring. The other rings are the same on every farm.
func (s set) canary(ctx context.Context, c *client.Client, change *client.UpdatesChange) error {
	list, is := strings.CutPrefix(*s.Ring, "canary=")
	if !is {
		return exit.Usagef("--ring %s: only the canary ring is chosen: --ring canary=MACHINE,tag:TAG", *s.Ring)
	}
	tags, machines := []string{}, []string{}
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		if tag, is := strings.CutPrefix(word, "tag:"); is {
			tags = append(tags, tag)
			continue
		}
		id, err := remote.Find(ctx, "machine", word, func(ctx context.Context) (client.List[client.Agent], error) { return c.Agents(ctx, "", "") })
		if err != nil {
			return err
		}
		machines = append(machines, id)
	}
	change.CanaryTags, change.CanaryMachines = &tags, &machines
	return nil
}

// readPace reads a number of bytes in a second: 500KB, 2MB, 1.5 MB, or plain bytes.
func readPace(text string) (int64, error) {
	number, unit := strings.TrimSuffix(strings.ToUpper(strings.ReplaceAll(text, " ", "")), "/S"), 1.0
	for _, u := range []struct {
		ending string
		size   float64
	}{{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}} {
		if cut, is := strings.CutSuffix(number, u.ending); is {
			number, unit = cut, u.size
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n*unit < 1<<40) {
		return 0, fmt.Errorf("%q is not a size; write it as 500KB or 2MB, or 0 for any", text)
	}
	return int64(n * unit), nil
}

type resume struct{ remote.Flags }

func (r resume) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	u, err := c.ResumeUpdates(ctx)
	return r.Print(out, u, err, func() error { return printUpdates(out, u) })
}
