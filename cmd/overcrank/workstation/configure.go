package workstation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/agent"
	"overcrank/agent/identity"
	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/folders"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/durable"
	"overcrank/farm/wire"
	"overcrank/launcher"
)

// Answers are the settings that an installer collects: from its user, an administrator's unattended command, or the invitation that came with the package.
type Answers struct {
	Server      []string `help:"Base addresses of coordinators." placeholder:"URL"`
	Join        string   `help:"Token to join with: 'overcrank agents invite' prints one. Better in the variable: other accounts can see command lines." placeholder:"TOKEN" env:"OVERCRANK_AGENT_JOIN" secret:""`
	CAFile      string   `name:"ca-file" help:"File with the certificate of the farm's authority, in PEM: a token of another farm is refused." placeholder:"FILE" xor:"authority"`
	Fingerprint string   `help:"Fingerprint of the farm's authority, instead of its certificate." placeholder:"SHA256" xor:"authority"`
	Package     string   `help:"The package that is being installed: its name may hold an invitation, or overcrank-invitation.json beside it." placeholder:"FILE"`

	// FirstInstall sets aside what other accounts have put where the service looks. A later installation must lose nothing.
	FirstInstall bool `hidden:""`
	launcherFolder
}

type configureCommand struct {
	Answers
	JSON bool `name:"json" help:"Print JSON."`
	// Installer is what Windows Installer does: it begins a first installation that it may roll back, rolls it back, or ends it.
	Installer string `hidden:"" enum:",begin,roll-back,commit" default:""`
}

func (configureCommand) Help() string {
	return `Writes --server, --tags, --data-dir and --updates into the settings file, as far as they are given, and keeps its other settings.
The token goes into the data folder, where only the agent can read it; the agent deletes it when it has joined. Packages call this command.

    overcrank agent configure --server https://farm.example.com:8080 --join ocj_…`
}

// configured is the result of configure.
type configured struct {
	File    string   `json:"file"`    // of settings
	Set     []string `json:"set"`     // settings that were written
	Token   string   `json:"token"`   // file of the join token, "" when there was none
	Remarks []string `json:"remarks"` // why an invitation was not taken, and what was set aside
	before  *before  // nil while nothing was written
}

// Run configures the agent of this machine.
func (c configureCommand) Run(a *Agent, out *terminal.Output, kctx *kong.Context, files *configfile.Resolver) error {
	settings := cmp.Or(a.ConfigFile, folders.Config("agent"))
	switch c.Installer {
	case "roll-back":
		return rollBack(settings)
	case "commit":
		return forget(settings)
	case "begin":
		c.FirstInstall = true
	}
	done, err := c.configure(a, kctx, files)
	if err == nil && c.Installer == "begin" {
		err = done.before.keep(settings)
	}
	if err != nil {
		return errors.Join(err, done.before.restore())
	}
	if c.JSON {
		return out.Indented(done)
	}
	done.print(out)
	return nil
}

func (d configured) print(out *terminal.Output) {
	for _, remark := range d.Remarks {
		fmt.Fprintln(out.Errors, "overcrank:", terminal.Plain(remark))
	}
	if len(d.Set) > 0 {
		fmt.Fprintf(out, "%s: set %s\n", d.File, strings.Join(d.Set, ", "))
	}
	if d.Token != "" {
		fmt.Fprintf(out, "%s: the agent joins with this token at its next start\n", d.Token)
	}
	if len(d.Set) == 0 && d.Token == "" {
		fmt.Fprintf(out, "%s: no settings were given; nothing is changed\n", d.File)
	}
}

// configure writes the answers. The package's invitation fills in what no flag says.
func (c Answers) configure(a *Agent, kctx *kong.Context, files *configfile.Resolver) (configured, error) {
	done := configured{File: cmp.Or(a.ConfigFile, folders.Config("agent")), Set: []string{}, Remarks: []string{}}
	flags := map[string][]string{} // of the agent's settings, that were typed
	for _, s := range files.Settings(kctx, configfile.Settable(agentFlags(kctx))) {
		if value := given(s.Value); s.Source == configfile.SourceFlag && len(value) > 0 {
			flags[s.Name] = value
		}
	}
	in := invitation{Server: given(c.Server), Join: c.Join, CAFile: c.CAFile, Fingerprint: c.Fingerprint, Tags: flags["tags"]}
	if err := in.check(); err != nil {
		return done, err
	}
	if c.FirstInstall {
		remarks, err := c.clearPlaces(done.File, a.DataDir, time.Now())
		done.Remarks = append(done.Remarks, remarks...)
		if err != nil {
			return done, err
		}
		if err := rollBack(done.File); err != nil { // an installation before this one broke off
			return done, err
		}
	}
	text, err := readSettingsFile(done.File)
	if err != nil {
		return done, err
	}
	if c.Package != "" {
		err := c.takeInvitation(&in, a.DataDir)
		switch {
		case err != nil && knowsFarm(done.File, text): // an upgrade goes on with what there is
			done.Remarks = append(done.Remarks, err.Error())
		case err != nil:
			return done, err
		}
	}
	changes := in.changes(flags)
	token := filepath.Join(a.DataDir, agent.JoinTokenFile)
	if len(changes) > 0 || in.Join != "" {
		if done.before, err = lookBefore(done.File, token); err != nil {
			return done, err
		}
	}
	if len(changes) > 0 {
		if text, err = configfile.Edit(done.File, text, changes); err != nil {
			return done, err
		}
		if err := writeSettingsFile(done.File, text); err != nil {
			return done, fmt.Errorf("writing the settings: %w", err)
		}
	}
	for _, change := range changes {
		done.Set = append(done.Set, change.Key)
	}
	if _, given := flags["data-dir"]; given || in.Join != "" {
		if err := c.makeDataFolder(a.DataDir); err != nil {
			return done, fmt.Errorf("making the data folder: %w", err)
		}
	}
	if in.Join != "" {
		if err := writeJoinToken(token, in.Join); err != nil {
			return done, fmt.Errorf("writing the join token: %w", err)
		}
		done.Token = token
	}
	return done, nil
}

// given leaves out empty values: an installer passes on an unset property as an empty one.
func given(values []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(text string) bool { return strings.TrimSpace(text) == "" })
}

// takeInvitation fills in from the package's invitation what no flag says. A machine that has already joined that farm ignores the invitation: an upgrade under
// the same package name must not undo changes to its settings.
func (c Answers) takeInvitation(in *invitation, dataDir string) error {
	with, err := invited(c.Package)
	if err != nil || with == nil {
		return err
	}
	if err := with.check(); err != nil {
		return fmt.Errorf("invitation of the package: %w", err)
	}
	if token, err := wire.ParseJoinToken(with.Join); err == nil && hasJoined(dataDir, token.Authority) {
		return nil
	}
	whole := *in
	if len(in.Server) == 0 {
		whole.Server = with.Server
	}
	if in.Join == "" {
		whole.Join = with.Join
	}
	if in.Tags == nil {
		whole.Tags = with.Tags
	}
	if err := whole.check(); err != nil { // its token may be of another farm than the flags say
		return fmt.Errorf("the invitation that came with the package: %w", err)
	}
	*in = whole
	return nil
}

// hasJoined tells whether the machine has a certificate of the authority with the fingerprint.
func hasJoined(dataDir, fingerprint string) bool {
	self, err := identity.ReadCredential(dataDir)
	return err == nil && self.Now().Certified() && identity.Vouches(self.Now().Authority, fingerprint)
}

// changes are the settings to write into the settings file.
func (in invitation) changes(flags map[string][]string) []configfile.Change {
	var all []configfile.Change
	if len(in.Server) > 0 {
		all = append(all, configfile.Change{Key: "coordinator", Value: in.Server, List: len(in.Server) > 1})
	}
	if in.Tags != nil {
		all = append(all, configfile.Change{Key: "tags", Value: in.Tags, List: true})
	}
	for _, name := range []string{"data-dir", "updates"} {
		if value, given := flags[name]; given {
			all = append(all, configfile.Change{Key: name, Value: value})
		}
	}
	return all
}

// readSettingsFile reads a settings file, "" when there is none.
func readSettingsFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the settings: %w", err)
	}
	return string(text), nil
}

// knowsFarm tells whether the text of a settings file names a coordinator.
func knowsFarm(path, text string) bool {
	file, err := configfile.Parse(path, text)
	return err == nil && slices.Contains(file.Keys(), "coordinator")
}

// writeSettingsFile replaces a settings file and keeps its permissions.
func writeSettingsFile(path, text string) error {
	if err := launcher.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		perm = info.Mode().Perm()
	}
	return durable.WriteFile(path, []byte(text), perm)
}

// writeJoinToken writes the token so that only the owner of the data folder can read it.
func writeJoinToken(path, token string) error {
	folder := filepath.Dir(path)
	return durable.Write(path, 0o600, func(w io.Writer) error {
		// An installer runs as root, the agent may not. Changing the owner of the open temporary file is safe: nobody else can have replaced it.
		if file, is := w.(*os.File); is {
			if err := giveTo(file, folder); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, token+"\n")
		return err
	})
}
