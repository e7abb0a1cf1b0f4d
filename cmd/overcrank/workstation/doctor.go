package workstation

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"overcrank/agent/doctor"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
)

type doctorCommand struct {
	JSON       bool          `name:"json" help:"Print JSON."`
	All        bool          `help:"List every font, effect and plug-in, not only how many there are."`
	EngineTime time.Duration `help:"How long the trial of one engine may take." default:"5m" placeholder:"TIME"`
}

func (doctorCommand) Help() string {
	return `Looks at what the machine has, renders two frames with every After Effects and with the embedded engine, and says what
is wrong and how to mend it. It may run while the agent does; on an artist's machine it starts After Effects.
Run it as the account that the agent runs as. The exit code is 1 when something that is needed is broken.

    overcrank agent doctor
    overcrank agent doctor --json`
}

// Run examines the machine and prints the findings. The exit code is 1 when something is broken.
func (d doctorCommand) Run(ctx context.Context, a *Agent, out *terminal.Output, program process.Program, logger *slog.Logger) error {
	if d.EngineTime < time.Second {
		return exit.Usagef("--engine-time is below a second")
	}
	config := a.config(program.Version, logger)
	if err := config.UseFFmpeg(); err != nil { // what the machine has otherwise is examined
		fmt.Fprintln(out.Errors, "overcrank:", terminal.Plain(err.Error()))
	}
	examiner := doctor.New(config)
	examiner.EngineTime = d.EngineTime
	bar := out.Bar("doctor")
	examiner.Tell = func(done float64, what string) { bar.Set(100*done, what) }
	found, err := examiner.Examine(ctx)
	bar.End()
	if err != nil {
		return err
	}
	if d.JSON {
		err = out.Indented(found)
	} else {
		err = d.print(out, found)
	}
	if err == nil && !found.Healthy {
		return exit.Code(exit.Failed)
	}
	return err
}

func (d doctorCommand) print(out *terminal.Output, found doctor.Examination) error {
	if err := out.Table(machineTable(found.Inventory)); err != nil {
		return err
	}
	if len(found.Inventory.Engines) > 0 {
		fmt.Fprintln(out)
		engines := terminal.NewTable("engine", "version", "path")
		for _, e := range found.Inventory.Engines {
			engines.Row(engineKind(e), e.Version, e.Path)
		}
		if err := out.Table(engines); err != nil {
			return err
		}
	}
	if d.All {
		if err := printFontsAndEffects(out, found.Inventory); err != nil {
			return err
		}
	}
	fmt.Fprintln(out)
	checks := terminal.NewTable("check", "of", "", "found")
	for _, f := range found.Findings {
		said := f.Found
		if f.Check == "engine" {
			said = fmt.Sprintf("%s (%.1f s)", said, f.Seconds)
		}
		checks.Row(f.Check, f.About, string(f.Health), said)
	}
	if err := out.Table(checks); err != nil {
		return err
	}
	return printRemedies(out, found)
}

// printRemedies prints what to do about each problem, the worst first.
func printRemedies(out *terminal.Output, found doctor.Examination) error {
	broken, poor := 0, 0
	for _, health := range []doctor.Health{doctor.Broken, doctor.Poor} {
		for _, f := range found.Findings {
			if f.Health != health {
				continue
			}
			if health == doctor.Broken {
				broken++
			} else {
				poor++
			}
			if f.Mend != "" {
				about := strings.TrimSpace(f.Check + " " + terminal.Plain(f.About))
				fmt.Fprintf(out, "\n%s: %s\n    %s\n", about, terminal.Plain(f.Found), terminal.Plain(f.Mend))
			}
		}
	}
	verdict := "This machine is ready to work."
	switch {
	case broken > 0:
		verdict = fmt.Sprintf("%s to mend.", terminal.Plural(broken, "thing"))
	case !found.Enrolled:
		verdict = "This machine could work; it gets nothing to do before it has enrolled."
	case poor > 0:
		verdict = "This machine is ready to work; it could be better."
	}
	_, err := fmt.Fprintf(out, "\n%s\n", verdict)
	return err
}

func machineTable(inv farm.Inventory) *terminal.Table {
	t := terminal.NewTable()
	row := func(name, value string) {
		if value != "" {
			t.Row(name, value)
		}
	}
	system := inv.OSVersion
	if system == "" {
		system = inv.OS
	}
	row("system", strings.TrimSpace(system+" "+inv.Arch))
	row("processor", strings.TrimSpace(fmt.Sprintf("%s (%d threads)", inv.CPU, inv.CPUs)))
	row("memory", terminal.Size(inv.Memory))
	gpu := inv.GPU
	if inv.GPUMemory > 0 {
		gpu += ", " + terminal.Size(inv.GPUMemory)
	}
	row("graphics", gpu)
	if inv.Disk > 0 {
		row("disk", fmt.Sprintf("%s, about %s free", terminal.Size(inv.Disk), terminal.Size(inv.DiskFree)))
	}
	row("fonts", fmt.Sprint(len(inv.Fonts)))
	row("effects of plug-ins", fmt.Sprint(len(inv.Effects)))
	row("codecs", strings.Join(inv.Codecs, ", "))
	if f := inv.FFmpeg; f != nil {
		row("ffmpeg", strings.TrimSpace(f.Version+" "+f.Licence)+", "+f.Path)
	}
	row("encoders", strings.Join(inv.Encoders, ", "))
	row("tags", strings.Join(inv.Tags, ", "))
	return t
}

func engineKind(e farm.EngineInfo) string {
	switch {
	case e.Kind == farm.EngineEmbedded:
		return "embedded"
	case e.Beta:
		return "After Effects (Beta)"
	}
	return "After Effects"
}

// printFontsAndEffects lists the fonts and the effects of plug-ins.
func printFontsAndEffects(out *terminal.Output, inv farm.Inventory) error {
	fmt.Fprintln(out)
	fonts := terminal.NewTable("font", "family", "style")
	for _, f := range inv.Fonts {
		fonts.Row(f.PostScript, f.Family, f.Style)
	}
	if err := out.Table(fonts); err != nil {
		return err
	}
	fmt.Fprintln(out)
	effects := terminal.NewTable("effect of a plug-in")
	for _, match := range inv.Effects {
		effects.Row(match)
	}
	for _, name := range inv.Plugins {
		effects.Row("(plug-in " + name + ", which does not name its effects)")
	}
	return out.Table(effects)
}
