package workstation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"overcrank/agent/inventory"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/durable"
	"overcrank/panel"
)

// panelCommand are the commands for the panel within After Effects.
type panelCommand struct {
	Install panelInstallCommand `cmd:"" help:"Put the panel into every After Effects of this machine; as root or administrator."`
	Remove  panelRemoveCommand  `cmd:"" help:"Take the panel out of every After Effects of this machine; as root or administrator."`
}

type panelInstallCommand struct{}

// Run puts the panel where each After Effects looks for it.
func (panelInstallCommand) Run(ctx context.Context, a *Agent, out *terminal.Output, program process.Program) error {
	server := ""
	if len(a.Coordinator) > 0 {
		server = a.Coordinator[0]
	}
	placed, err := placePanel(ctx, inventory.Here(), panel.For(program.Version, server))
	for _, path := range placed {
		fmt.Fprintln(out, path)
	}
	if err == nil && len(placed) == 0 {
		fmt.Fprintln(out.Errors, "overcrank: there is no After Effects on this machine; when there is one, run 'overcrank agent panel install'")
	}
	return err
}

type panelRemoveCommand struct{}

// Run removes the panel.
func (panelRemoveCommand) Run(ctx context.Context) error { return removePanel(ctx, inventory.Here()) }

// panelFolder is where an After Effects has its panels, within its own folder.
func panelFolder(afterEffects string) string {
	return filepath.Join(afterEffects, "Scripts", "ScriptUI Panels")
}

// placePanel writes the panel for each After Effects and returns where.
func placePanel(ctx context.Context, machine inventory.System, text []byte) (placed []string, err error) {
	for _, folder := range machine.AfterEffectsFolders(ctx) {
		panels := panelFolder(folder)
		path := filepath.Join(panels, panel.Name)
		one := os.MkdirAll(panels, 0o755)
		if one == nil {
			one = durable.WriteFile(path, text, 0o644)
		}
		if one != nil {
			err = errors.Join(err, fmt.Errorf("installing the panel: %w", one))
			continue
		}
		placed = append(placed, path)
	}
	return placed, err
}

// removePanel deletes the panel of each After Effects.
func removePanel(ctx context.Context, machine inventory.System) (err error) {
	for _, folder := range machine.AfterEffectsFolders(ctx) {
		if one := os.Remove(filepath.Join(panelFolder(folder), panel.Name)); one != nil && !errors.Is(one, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("removing the panel: %w", one))
		}
	}
	return err
}
