package workstation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/agent/inventory"
	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/folders"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/cmd/overcrank/workstation/installation"
	"overcrank/launcher"
)

type installCommand struct {
	Answers
	JSON bool `name:"json" help:"Print JSON."`
}

func (installCommand) Help() string {
	return `Installs the agent as a service that starts with the machine, as the packages do; run it as root or as administrator. overcrank-agent and
overcrank-launcher have to lie in one folder: 'make build' puts both into bin. The answers are those of 'overcrank agent configure'. Run again, it
upgrades the programs and keeps settings and identity.

    sudo ./overcrank-agent install --server https://farm.example.com:8080 --join ocj_…`
}

// installed is the result of install.
type installed struct {
	configured
	Version  string `json:"version"`
	Launcher string `json:"launcher"` // path
	Changed  bool   `json:"changed"`  // programs, units or settings are not as before
}

// Run installs the agent on this machine.
func (c installCommand) Run(ctx context.Context, a *Agent, out *terminal.Output, kctx *kong.Context, files *configfile.Resolver, program process.Program) error {
	machine := installation.Here()
	if err := mayInstall(ctx, machine); err != nil {
		return err
	}
	programs, err := programsHere(program, machine)
	if err != nil {
		return err
	}
	if err := c.knows(a); err != nil {
		return err
	}
	first := !machine.Installed()
	c.FirstInstall = first
	if first && runtime.GOOS == "windows" { // before folders get rights there: one may be a link of another account's to anywhere
		remarks, err := c.clearPlaces(cmp.Or(a.ConfigFile, folders.Config("agent")), a.DataDir, time.Now())
		for _, remark := range remarks {
			fmt.Fprintln(out.Errors, "overcrank:", terminal.Plain(remark))
		}
		if err != nil {
			return err
		}
	}
	done, err := c.install(ctx, machine, programs, a.DataDir, func() (configured, error) { return c.configure(a, kctx, files) })
	if err != nil {
		return err
	}
	if c.JSON {
		return out.Indented(done)
	}
	done.print(out)
	fmt.Fprintf(out, "Overcrank agent %s is installed and runs. Check it with: %s agent status\n", done.Version, done.Launcher)
	return nil
}

// install puts everything in place and starts the service. A first installation that fails leaves nothing: no program, no settings, and no join token.
func (c installCommand) install(ctx context.Context, machine installation.Machine, programs installation.Programs, dataDir string, configure func() (configured, error)) (installed, error) {
	done, err := carryOut(ctx, machine, programs, configure)
	if err != nil && c.FirstInstall && ctx.Err() == nil {
		err = errors.Join(err, done.before.restore(), machine.Remove(ctx, false, dataDir))
	}
	return done, err
}

func carryOut(ctx context.Context, machine installation.Machine, programs installation.Programs, configure func() (configured, error)) (installed, error) {
	done := installed{Version: programs.Version, Launcher: machine.Launcher()}
	var err error
	if done.Changed, err = machine.Place(ctx, programs); err != nil {
		return done, fmt.Errorf("installing the agent: %w", err)
	}
	if done.configured, err = configure(); err != nil {
		return done, errors.Join(err, done.before.restore())
	}
	done.Changed = done.Changed || len(done.Set) > 0 || done.Token != ""
	if err := machine.Start(ctx, done.Changed); err != nil {
		return done, fmt.Errorf("starting the agent: %w", err)
	}
	return done, nil
}

// knows refuses an installation after which the agent would know no farm.
func (c installCommand) knows(a *Agent) error {
	file := a.ConfigFile
	if file == "" {
		file = folders.Config("agent")
	}
	text, err := readSettingsFile(file)
	if err != nil {
		return err
	}
	if len(given(c.Server)) == 0 && c.Package == "" && !knowsFarm(file, text) {
		return exit.Usagef("this machine knows no farm yet: give --server and --join; 'overcrank agents invite' prints a token")
	}
	return nil
}

// mayInstall refuses a machine where this process may not install the agent, or a package has.
func mayInstall(ctx context.Context, machine installation.Machine) error {
	if err := machine.Allowed(); err != nil {
		return err
	}
	way, err := machine.Packaged(ctx)
	if err != nil {
		return err
	}
	if way != "" {
		return fmt.Errorf("a package has installed the agent on this machine: %s", way)
	}
	return nil
}

// programsHere finds the programs to install in the folder of this one. The installed agent installs itself again, with its launcher.
func programsHere(program process.Program, machine installation.Machine) (installation.Programs, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return installation.Programs{}, fmt.Errorf("finding this program: %w", err)
	}
	found := installation.Programs{Agent: self, Version: program.Version}
	if program.Name != "overcrank-agent" {
		found.Agent = filepath.Join(filepath.Dir(self), launcher.Program())
	}
	end := ""
	if runtime.GOOS == "windows" {
		end = ".exe"
	}
	found.Launcher = filepath.Join(filepath.Dir(self), "overcrank-launcher"+end)
	if _, err := os.Stat(found.Launcher); err != nil && machine.Installed() {
		found.Launcher = ""
	}
	for _, path := range []string{found.Agent, found.Launcher} {
		if _, err := os.Stat(path); path != "" && err != nil {
			return found, fmt.Errorf("there is no %s: the agent is installed from a folder with overcrank-agent and overcrank-launcher; 'make build' makes one", path)
		}
	}
	return found, nil
}

type uninstallCommand struct {
	Purge bool `help:"Delete settings, identity, cache and logs too."`
}

func (uninstallCommand) Help() string {
	return `Stops the agent, which gives its work back, takes the machine off its farm, and removes what 'overcrank agent install' has put on it; run it as
root or as administrator. Without --purge, settings and cache are kept for a later installation, which needs a new join token.`
}

// Run takes the agent off this machine.
func (c uninstallCommand) Run(ctx context.Context, a *Agent, out *terminal.Output, logger *slog.Logger) error {
	machine := installation.Here()
	if err := mayInstall(ctx, machine); err != nil {
		return err
	}
	// While the agent ran, the farm's news that the machine has left would cost its finished work, and might have it enrol anew.
	if err := machine.Stop(ctx); err != nil {
		return fmt.Errorf("stopping the agent: %w", err)
	}
	if err := a.Retire(ctx, logger); err != nil { // the machine goes all the same
		fmt.Fprintln(out.Errors, "overcrank:", terminal.Plain(err.Error()))
	}
	if err := removePanel(ctx, inventory.Here()); err != nil {
		fmt.Fprintln(out.Errors, "overcrank:", terminal.Plain(err.Error()))
	}
	if err := machine.Remove(ctx, c.Purge, a.DataDir); err != nil {
		return fmt.Errorf("removing the agent: %w", err)
	}
	fmt.Fprintln(out, "The Overcrank agent is no longer installed.")
	return nil
}
