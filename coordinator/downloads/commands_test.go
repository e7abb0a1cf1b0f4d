package downloads

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"overcrank/durable/programtest"
	"overcrank/farm"
)

func invitedTo(format string) Invited {
	return Invited{
		Package: farm.Download{Format: format, File: farm.FileRef{Name: "overcrank-agent-0.2.0." + format}},
		Address: "http://farm.example.com:8080", Token: "ocj_" + strings.Repeat("a", 26) + "." + strings.Repeat("0", 64),
	}
}

// shell is a machine with doubles of programs that write down with which arguments and variables they are called.
type shell struct {
	t             *testing.T
	tools, remote string // folders: of the doubles, and where ssh comes to
	calls         string // file
}

func newShell(t *testing.T) *shell {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a shell of Unix")
	}
	s := &shell{t: t, tools: t.TempDir(), remote: t.TempDir()}
	s.calls = filepath.Join(s.tools, "calls")
	note := "#!/bin/sh\n{ printf '%s ' \"${0##*/}\" \"$@\"; echo; env; } >>'" + s.calls + "'\n"
	for name, does := range map[string]string{
		"sudo":      `exec "$@"`,
		"ssh":       "cd '" + s.remote + "' && sh -c \"$2\"",
		"scp":       "",
		"installer": "",
		// What the package's script finds beside the package, with its permissions.
		"apt-get": "ls -l overcrank-invitation.json | cut -c1-10 >'" + s.tools + "/mode'; cat overcrank-invitation.json >'" + s.tools + "/invitation'; exit 100",
	} {
		if err := programtest.Write(filepath.Join(s.tools, name), []byte(note+does+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// run runs a command and returns the folder in which it ran.
func (s *shell) run(command string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "sh", "-c", "umask 022\n"+command)
	cmd.Dir, cmd.Env = s.t.TempDir(), []string{"PATH=" + s.tools + ":" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); len(out) > 0 {
		s.t.Errorf("%s: %v: %s", command, err, out)
	}
	return cmd.Dir
}

func (s *shell) read(path string) string {
	s.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		s.t.Error(err)
	}
	return string(text)
}

// keeps fails when a program got the token in its arguments or variables.
func (s *shell) keeps(token, command string) {
	s.t.Helper()
	if calls := s.read(s.calls); strings.Contains(calls, token) || !strings.Contains(calls, "install") {
		s.t.Errorf("%s calls\n%s", command, calls)
	}
}

// TestNoProgramOfLinuxGetsTheToken: the invitation lies beside the package while that is installed, for its owner alone.
func TestNoProgramOfLinuxGetsTheToken(t *testing.T) {
	i := invitedTo("deb")
	for _, c := range i.Commands()[:2] {
		s := newShell(t)
		dir := s.run(c.Text)
		s.keeps(i.Token, c.Text)
		if got := s.read(filepath.Join(s.tools, "invitation")); got != i.text() {
			t.Errorf("%s: the invitation is %q", c.Tool, got)
		}
		if got := s.read(filepath.Join(s.tools, "mode")); got != "-rw-------\n" {
			t.Errorf("%s: the invitation has the permissions %s", c.Tool, got)
		}
		for _, folder := range []string{dir, s.remote} { // also after an installation that failed, as this one did
			if _, err := os.Stat(filepath.Join(folder, InvitationName)); err == nil {
				t.Errorf("%s: the invitation is left behind", c.Tool)
			}
		}
	}
}

func TestNoProgramOfMacOSGetsTheToken(t *testing.T) {
	i := invitedTo("pkg")
	for _, c := range i.Commands()[:4] {
		s, volume := newShell(t), t.TempDir()
		s.run(strings.ReplaceAll(c.Text, "/Library", volume) + " && sudo installer")
		s.keeps(i.Token, c.Text)
		path := filepath.Join(volume, "Application Support", "Overcrank", InvitationName)
		if got := s.read(path); got != i.text() {
			t.Errorf("%s: the invitation is %q", c.Tool, got)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the invitation is %v, %v", c.Tool, info, err)
		}
	}
}

// TestPlaybooksLogNoToken: the task that has the token says so, and no other has it.
func TestPlaybooksLogNoToken(t *testing.T) {
	for _, format := range []string{"msi", "pkg", "deb", "rpm"} {
		i := invitedTo(format)
		if err := i.Check(); err != nil {
			t.Fatal(err)
		}
		all := i.Commands()
		text := all[len(all)-1].Text
		type task struct {
			Block []map[string]any
			Rest  map[string]any `yaml:",inline"`
		}
		var plays []struct{ Tasks []task }
		if err := yaml.Unmarshal([]byte(text), &plays); err != nil || len(plays) != 1 {
			t.Fatalf("%s: %v in\n%s", format, err, text)
		}
		secret := 0
		for _, outer := range plays[0].Tasks {
			for _, one := range append(outer.Block, outer.Rest) {
				said, err := yaml.Marshal(one)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(said), i.Token) {
					secret++
					if one["no_log"] != true {
						t.Errorf("%s: Ansible logs\n%s", format, said)
					}
				}
			}
		}
		if secret != 1 {
			t.Errorf("%s: %d tasks have the token:\n%s", format, secret, text)
		}
	}
}

// TestPlainNames are those by which the scripts of a package find it.
func TestPlainNames(t *testing.T) {
	for name, want := range map[string]string{
		"overcrank-agent_0.2.0~rc1_amd64.deb": "overcrank-agent_0.2.0~rc1_amd64.deb", "agent.deb": "overcrank-agent.deb", "-o.deb": "overcrank-agent.deb",
		"overcrank-agent;reboot.deb": "overcrank-agent_reboot.deb", "overcrank-agent__h_1__t.deb": "overcrank-agent.deb", "overcrank-agent.zip": "overcrank-agent.deb",
	} {
		i := invitedTo("deb")
		i.Package.File.Name = name
		if got := i.PlainName(); got != want {
			t.Errorf("%s: it is called %s, want %s", name, got, want)
		}
	}
}

// TestTheStartScriptOfWindowsUpgrades: it asks for the version of the package, which nothing in a package's own words can turn into another command.
func TestTheStartScriptOfWindowsUpgrades(t *testing.T) {
	script := func(version string) string {
		in := invitedTo("msi")
		in.Package.Version = version
		for _, c := range in.Commands() {
			if c.Tool == "Group Policy" {
				return c.Text
			}
		}
		t.Fatal("there is no start script")
		return ""
	}
	want := `reg query HKLM\Software\Overcrank\Agent /v Version 2>nul | findstr /e /l /c:" 0.2.0-12-gabcdef0" >nul || msiexec /i "\\SERVER\SHARE\overcrank-agent-0.2.0.msi" /qn /norestart SERVER=`
	if got := script("0.2.0-12-gabcdef0"); !strings.HasPrefix(got, want) {
		t.Errorf("it is %s", got)
	}
	if got := script(`1" & calc & "%PATH%`); strings.Contains(got, `" & calc`) || strings.Contains(got, "%") {
		t.Errorf("it is %s", got)
	}
}
