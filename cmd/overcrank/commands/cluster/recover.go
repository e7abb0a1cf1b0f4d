package cluster

import (
	"context"
	"fmt"
	"os"

	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator"
)

type recoverCommand struct {
	DataDir string `help:"Data folder of a coordinator that is left, which must not run." required:"" type:"existingdir" env:"OVERCRANK_DATA_DIR"`
	DryRun  bool   `help:"Only say what is there."`
	Yes     bool   `help:"Do not ask."`
	JSON    bool   `help:"Print the answer of the API, as JSON." name:"json"`
}

// Help is for the parser of the command line.
func (recoverCommand) Help() string {
	return `Only for when so many coordinators are lost for good that the rest is no majority, and no backup is newer. Of those that are left, take the
one whose log goes farthest (--dry-run tells how far it goes). It goes on alone with what it has:

  - what the lost coordinators had acknowledged and this one had not heard of yet is lost
  - what was on its way when they were lost may be done though nobody was told so
  - all other coordinators of the farm are members no more: move their data folders away and let them join anew (overcrank cluster invite)`
}

// Run makes the coordinator of a data folder the farm's only one.
func (r recoverCommand) Run(ctx context.Context, out *terminal.Output) error {
	look, err := coordinator.LookAtMembers(r.DataDir)
	if err != nil {
		return err
	}
	if r.JSON {
		if err := out.JSON(look); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "Coordinator %s, whose log goes to entry %d (term %d), with %s in the farm:\n", look.ID, look.Last, look.Term, terminal.Plural(len(look.Members), "coordinator"))
		for _, m := range look.Members {
			vote := "a vote"
			if !m.Voter {
				vote = "no vote"
			}
			fmt.Fprintf(out, "  %s at %s, %s\n", m.ID, m.Address, vote)
		}
	}
	if r.DryRun {
		return nil
	}
	if !r.Yes {
		fmt.Fprintf(out.Errors, "\nIT WILL BE ALONE: what only the others had acknowledged is lost, and none of them may ever start again on its data folder.\nType 'recover' to go on: ")
		if !terminal.Agreed(os.Stdin, "recover") {
			return fmt.Errorf("nothing was changed")
		}
	}
	if err := coordinator.Recover(ctx, r.DataDir); err != nil {
		return fmt.Errorf("recover the farm in %s: %w", r.DataDir, err)
	}
	out.Remark("Done. Start the coordinator as before; then move away the data folders of all others and let them join anew: overcrank cluster invite")
	return nil
}
