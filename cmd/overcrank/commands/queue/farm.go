package queue

import (
	"context"
	"encoding/json"
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

// Farm are the commands below overcrank farm.
type Farm struct {
	Status farmStatus `cmd:"" default:"withargs" help:"Show the state of the farm."`
	Pause  farmPause  `cmd:"" help:"Start no further tasks; those that are rendering go on."`
	Resume farmResume `cmd:"" help:"Start tasks again."`
	Policy farmPolicy `cmd:"" help:"Print or set how the farm shares its machines."`
}

type farmStatus struct{ remote.Flags }

// Run says what the farm is at.
func (f farmStatus) Run(ctx context.Context, out *terminal.Output) error {
	c, err := f.Client()
	if err != nil {
		return err
	}
	farm, err := c.Farm(ctx)
	return f.Print(out, farm, err, func() error { return out.Table(farmTable(farm)) })
}

type farmPause struct{ remote.Flags }

// Run pauses the farm.
func (f farmPause) Run(ctx context.Context, out *terminal.Output) error {
	return turnFarm(ctx, f.Flags, "pause", out)
}

type farmResume struct{ remote.Flags }

// Run lets the farm go on.
func (f farmResume) Run(ctx context.Context, out *terminal.Output) error {
	return turnFarm(ctx, f.Flags, "resume", out)
}

func turnFarm(ctx context.Context, r remote.Flags, how string, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	farm, err := c.TurnFarm(ctx, how)
	return r.Print(out, farm, err, func() error { return out.Table(farmTable(farm)) })
}

func farmTable(f client.Farm) *terminal.Table {
	state := "working"
	if f.Paused {
		state = "paused: overcrank farm resume ends that"
	}
	t := terminal.NewTable()
	t.Row("farm", state)
	var machines []string
	for _, name := range []string{"free", "rendering", "away", "not_ready", "draining", "drained", "set_aside", "paused", "offline"} {
		if n := f.Machines[name]; n > 0 {
			machines = append(machines, fmt.Sprintf("%d %s", n, wording.Machine(farm.MachineState(name))))
		}
	}
	if len(machines) == 0 {
		machines = []string{"none: overcrank agents invite --for NAME"}
	}
	t.Row("machines", strings.Join(machines, ", "))
	t.Row("tasks", fmt.Sprintf("%d of %d slots in use, %d waiting", f.Leased, f.Slots, f.Ready))
	t.Row("this hour", fmt.Sprintf("%s done, %d failed, since %s", terminal.Plural(f.Pace.Done, "task"), f.Pace.Failed, terminal.LocalTime(f.Pace.Since)))
	var jobs []string
	for _, status := range []string{"render:dorender", "queued", "pending"} {
		if n := f.Jobs[status]; n > 0 {
			jobs = append(jobs, fmt.Sprintf("%d %s", n, wording.Job(farm.JobStatus(status))))
		}
	}
	if len(jobs) == 0 {
		jobs = []string{"none under way"}
	}
	t.Row("team's jobs", strings.Join(jobs, ", "))
	return t
}

type farmPolicy struct {
	Get farmPolicyGet `cmd:"" default:"withargs" help:"Print the policy, as JSON."`
	Set farmPolicySet `cmd:"" help:"Set the policy, or some of it."`
}

type farmPolicyGet struct{ remote.Flags }

// Run prints the policy.
func (f farmPolicyGet) Run(ctx context.Context, out *terminal.Output) error {
	c, err := f.Client()
	if err != nil {
		return err
	}
	policy, err := c.Policy(ctx)
	return f.Print(out, policy, err, func() error { return out.Indented(policy.JSON()) })
}

type farmPolicySet struct {
	File  string `arg:"" help:"File with the policy as JSON, - for standard input."`
	Merge bool   `help:"The file holds only what is to change; null removes a team or a limit."`
	remote.Flags
}

// Help is for the parser of the command line.
func (farmPolicySet) Help() string {
	return `    overcrank farm policy > policy.json           # then change it
    overcrank farm policy set policy.json
    echo '{"maxMachinesPerJob": 8}' | overcrank farm policy set - --merge

A policy that somebody else has changed meanwhile is refused: "revision" says from which one the file was made.`
}

// Run sets the policy.
func (f farmPolicySet) Run(ctx context.Context, out *terminal.Output) error {
	raw, err := remote.ReadInput(f.File)
	if err != nil {
		return err
	}
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		return exit.Usagef("%s is not a policy in JSON: %w", f.File, err)
	}
	c, err := f.Client()
	if err != nil {
		return err
	}
	policy, err := c.PutPolicy(ctx, body, f.Merge)
	return f.Print(out, policy, err, func() error { return out.Indented(policy.JSON()) })
}

// Levels are the commands below overcrank levels.
type Levels struct {
	List levelsList `cmd:"" default:"withargs" help:"Show how each level is served."`
	Set  levelsSet  `cmd:"" help:"Change how a level is served."`
}

type levelsList struct{ remote.Flags }

// Run lists the levels.
func (l levelsList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	levels, err := c.Levels(ctx)
	return l.Print(out, levels, err, func() error { return out.Table(levelTable(levels)) })
}

func levelTable(levels client.Levels) *terminal.Table {
	t := terminal.NewTable("LEVEL", "STATE", "SHARE", "HOURS", "FROM ROLE")
	for _, l := range []struct {
		name string
		client.Level
	}{{"rush", levels.Rush}, {"normal", levels.Normal}, {"overnight", levels.Overnight}} {
		state, hours := "served", strings.Join(l.Hours, "; ")
		if l.Paused {
			state = "paused"
		}
		if hours == "" {
			hours = "always"
		}
		t.Row(l.name, state, strconv.FormatFloat(100*l.MaxShare, 'f', -1, 64)+" %", hours, l.Role)
	}
	return t
}

type levelsSet struct {
	Level    string   `arg:"" help:"rush, normal or overnight." enum:"rush,normal,overnight" complete:"level"`
	Pause    bool     `help:"Start none of its tasks." xor:"paused"`
	Resume   bool     `help:"Start its tasks again." xor:"paused"`
	MaxShare *float64 `help:"Share of the farm that it may use, such as 0.5; 1 is all of it." placeholder:"SHARE"`
	Hours    []string `help:"When it is served though others wait, such as 'mon-fri 19:00-08:00'; several with more of these." sep:"none" placeholder:"WINDOW" xor:"hours"`
	Always   bool     `help:"It is served at all times." xor:"hours"`
	Role     string   `help:"The least role that may choose it for a job: artist, producer, operator or admin. For rush only." enum:",artist,producer,operator,admin" default:"" placeholder:"ROLE" complete:"role"`
	remote.Flags
}

// Run changes a level.
func (l levelsSet) Run(ctx context.Context, out *terminal.Output) error {
	var change client.LevelChange
	if l.Pause || l.Resume {
		change.Paused = &l.Pause
	}
	change.MaxShare = l.MaxShare
	if l.Role != "" {
		change.Role = &l.Role
	}
	if len(l.Hours) > 0 || l.Always {
		hours := append([]string{}, l.Hours...)
		change.Hours = &hours
	}
	if change == (client.LevelChange{}) {
		return exit.Usagef("nothing is to be changed: give --pause, --resume, --max-share, --hours, --always or --role")
	}
	c, err := l.Client()
	if err != nil {
		return err
	}
	levels, err := c.ChangeLevel(ctx, l.Level, change)
	return l.Print(out, levels, err, func() error { return out.Table(levelTable(levels)) })
}
