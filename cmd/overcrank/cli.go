package main

import (
	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/commandline"
	"overcrank/cmd/overcrank/commands/access"
	"overcrank/cmd/overcrank/commands/agents"
	"overcrank/cmd/overcrank/commands/backups"
	"overcrank/cmd/overcrank/commands/batches"
	"overcrank/cmd/overcrank/commands/budgets"
	"overcrank/cmd/overcrank/commands/cluster"
	"overcrank/cmd/overcrank/commands/failures"
	"overcrank/cmd/overcrank/commands/ffmpegs"
	"overcrank/cmd/overcrank/commands/jobs"
	"overcrank/cmd/overcrank/commands/library"
	"overcrank/cmd/overcrank/commands/projects"
	"overcrank/cmd/overcrank/commands/queue"
	"overcrank/cmd/overcrank/commands/releases"
	"overcrank/cmd/overcrank/commands/reports"
	"overcrank/cmd/overcrank/commands/reviews"
	"overcrank/cmd/overcrank/commands/search"
	"overcrank/cmd/overcrank/commands/templates"
	"overcrank/cmd/overcrank/completion"
	"overcrank/cmd/overcrank/demo"
	"overcrank/cmd/overcrank/node"
	"overcrank/cmd/overcrank/workstation"
)

// cli is what can be typed.
type cli struct {
	commandline.Flags

	Up          node.Up              `cmd:"" group:"farm" help:"Run a whole farm on this machine: coordinator, dashboard, API and one agent."`
	Coordinator node.Coordinator     `cmd:"" group:"farm" help:"Run a coordinator with API and dashboard, without an agent."`
	Agent       workstation.Agent    `cmd:"" group:"farm" help:"Run the agent of this workstation, and speak to it."`
	Aerender    commandline.Aerender `cmd:"" group:"farm" passthrough:"" help:"Render with the embedded engine; takes aerender's own flags (overcrank aerender -help)."`
	Storage     cluster.Storage      `cmd:"" group:"farm" help:"Show where a farm keeps its files."`
	Backup      backups.Backup       `cmd:"" group:"farm" help:"Back up a running farm into one file."`
	Restore     backups.Restore      `cmd:"" group:"farm" help:"Restore a backup, into a running farm or into a new data folder."`
	Cluster     cluster.Commands     `cmd:"" group:"farm" help:"Manage the coordinators, and the keys by which they and the agents trust each other."`
	Downgrade   backups.Downgrade    `cmd:"" group:"farm" help:"Go back to the state that a farm had before an upgrade."`
	Demo        demo.Command         `cmd:"" group:"farm" help:"Render a title card on a small farm of its own, and say where the film is."`

	Submit    jobs.Submit        `cmd:"" group:"work" help:"Submit a job."`
	Jobs      jobs.Commands      `cmd:"" group:"work" help:"List, show, wait for, download and cancel jobs."`
	Logs      jobs.Logs          `cmd:"" group:"work" help:"Print the log of a job."`
	Templates templates.Commands `cmd:"" group:"work" help:"Add, show, replace, download and delete templates."`
	Batches   batches.Commands   `cmd:"" group:"work" help:"Submit a table of variants, follow its jobs, and download the films."`
	Join      jobs.Join          `cmd:"" group:"work" help:"Stitch clips into one film."`
	Search    search.Search      `cmd:"" group:"work" help:"Find jobs, batches, templates, machines and people by words."`
	Failures  failures.Failures  `cmd:"" group:"work" help:"List why jobs failed that need somebody, and submit them again by cause."`
	Reviews   reviews.Reviews    `cmd:"" group:"work" help:"Create links by which others review results, list and revoke them, and print what was said."`
	Reports   reports.Reports    `cmd:"" group:"work" help:"Say how many hours machines worked, for whom, and what that costs."`
	Projects  budgets.Projects   `cmd:"" group:"work" help:"Create, list and archive projects, and set their budgets of machine hours."`
	Presets   library.Presets    `cmd:"" group:"work" help:"Save, list and delete presets: what kind of result jobs produce, and where it goes."`
	Fonts     library.Fonts      `cmd:"" group:"work" help:"Add, list and delete the team's fonts."`
	Secrets   library.Secrets    `cmd:"" group:"work" help:"Set, list and delete the team's secrets."`

	Inspect projects.Inspect `cmd:"" group:"projects" help:"Say what the embedded engine would draw differently from After Effects."`
	Frame   projects.Frame   `cmd:"" group:"projects" help:"Draw one frame of a composition with the embedded engine."`

	Agents   agents.Commands   `cmd:"" group:"machines" help:"Invite, list, drain, pause, tag and remove machines."`
	Releases releases.Releases `cmd:"" group:"machines" help:"Sign, add, list and remove releases of the agent's program."`
	FFmpeg   ffmpegs.FFmpeg    `cmd:"" name:"ffmpeg" group:"machines" help:"Give the farm builds of ffmpeg to hand out to its machines, list and remove them."`
	Updates  releases.Updates  `cmd:"" group:"machines" help:"Show what machines run, and choose which release they get and how."`
	Farm     queue.Farm        `cmd:"" group:"machines" help:"Show the state of the farm, pause it, and set how teams share its machines."`
	Queue    queue.Queue       `cmd:"" group:"machines" help:"List the tasks that wait for a machine, the next one first."`
	Levels   queue.Levels      `cmd:"" group:"machines" help:"Show and change how the levels rush, normal and overnight are served."`
	Limits   queue.Limits      `cmd:"" group:"machines" help:"Limit how many tasks use something at once, such as the licences of a plug-in."`
	Events   queue.Events      `cmd:"" group:"machines" help:"Print what happens on the farm, as it happens."`

	Teams  access.Teams  `cmd:"" group:"people" help:"Create, list and delete teams."`
	Tokens access.Tokens `cmd:"" group:"people" help:"Create, list and revoke API tokens."`
	Audit  access.Audit  `cmd:"" group:"people" help:"Print who did what at the farm."`
	People access.People `cmd:"" group:"people" help:"Create people, links that sign them in, and delete them."`

	Notifications access.Notifications `cmd:"" group:"people" help:"Choose what you are told of, by e-mail or in a chat."`

	ShowHelp   commandline.ShowHelp `cmd:"" name:"help" passthrough:"" help:"Print the help of the program, or of a command."`
	Completion completion.Command   `cmd:"" help:"Print the script that makes a shell complete commands."`
	Complete   completion.Complete  `cmd:"" hidden:""`
	Version    commandline.Version  `cmd:"" help:"Print the version."`
}

// newParser makes the parser of a command line, of any where line is nil.
func newParser(c *cli, line []string, options ...kong.Option) (*kong.Kong, error) {
	return commandline.NewParser(c, line, append([]kong.Option{
		kong.Description("The After Effects render farm that a studio runs on its own machines."),
		kong.ExplicitGroups([]kong.Group{
			{Key: "farm", Title: "Run a farm:"}, {Key: "work", Title: "Work with a farm:"},
			{Key: "projects", Title: "Work with a project on this machine:"},
			{Key: "machines", Title: "Manage machines and the queue:"}, {Key: "people", Title: "Manage access:"},
		}),
		kong.PostBuild(func(k *kong.Kong) error {
			addOldNames(k.Model)
			return nil
		}),
	}, options...)...)
}
