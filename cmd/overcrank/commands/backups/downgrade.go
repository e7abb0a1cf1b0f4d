package backups

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator"
)

// Downgrade is overcrank downgrade: back to the state that a farm had before an upgrade.
type Downgrade struct {
	DataDir string `help:"Data folder of the coordinator, on which none runs." required:"" type:"existingdir" env:"OVERCRANK_DATA_DIR"`
	To      string `help:"Release to go back to: v0.1.0, which knows no later one's state." required:"" placeholder:"RELEASE"`
}

// Help is what stands below the flags.
func (Downgrade) Help() string {
	return `When a farm of release v0.1.0 is upgraded, its state is kept as it was, in the folder state-v0.1.0 of the data folder. This command puts it back; then start
the overcrank of that release. What was done since the upgrade is put aside and not known to it.

    overcrank downgrade --data-dir /var/lib/overcrank --to v0.1.0`
}

// Run goes back.
func (d Downgrade) Run(ctx context.Context, out *terminal.Output) error {
	if d.To != coordinator.FirstRelease {
		return exit.Usagef("--to is %s: this release goes back to %s only; to a release in between, restore a backup that was made with it", d.To, coordinator.FirstRelease)
	}
	later, err := coordinator.Downgrade(ctx, d.DataDir)
	if err != nil {
		return fmt.Errorf("go back to %s: %w", d.To, err)
	}
	fmt.Fprintf(out, "%s is as overcrank %s left it; start it with that release.\n", d.DataDir, d.To)
	out.Remark("What was done since the upgrade lies in %s: remove it, or, to go forward again without losing that, put it back as state.", later)
	return nil
}
