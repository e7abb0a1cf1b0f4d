package linux_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/durable/programtest"
)

// TestScriptsWriteThroughNoLinks: /var/lib/overcrank belongs to the service's account, which could put a link where a script, run by root, writes.
func TestScriptsWriteThroughNoLinks(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("files/*.sh")
	if err != nil || len(scripts) == 0 {
		t.Fatal("there are no scripts", err)
	}
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if _, to, writes := strings.Cut(line, ">"); writes && strings.HasPrefix(strings.TrimLeft(to, "> "), "/var/lib/overcrank") {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
}

// TestTheTokenIsInNoCommandLine: every account can see command lines.
func TestTheTokenIsInNoCommandLine(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("files/configure-agent.sh")
	if err != nil {
		t.Fatal(err)
	}
	calls := filepath.Join(t.TempDir(), "calls")
	program := filepath.Join(t.TempDir(), "overcrank-agent")
	if err := programtest.Write(program, []byte("#!/bin/sh\necho \"$OVERCRANK_AGENT_JOIN: $*\" >>'"+calls+"'\n")); err != nil {
		t.Fatal(err)
	}
	const join = "ocj_secret"
	for _, c := range []struct {
		environment []string
		want        string
	}{
		{nil, ""},
		{[]string{"OVERCRANK_JOIN=" + join}, join + ": configure --first-install\n"},
		{[]string{"OVERCRANK_JOIN=" + join, "OVERCRANK_SERVER=farm", "upgrade=yes"}, join + ": configure --server farm\n"},
		{[]string{"OVERCRANK_TAGS=a b"}, ": configure --tags a b --first-install\n"},
	} {
		_ = os.Remove(calls)
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", strings.ReplaceAll(string(text), "/usr/bin/overcrank-agent", program))
		cmd.Env = append(c.environment, "PATH="+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s", c.environment, err, out)
		}
		if got, _ := os.ReadFile(calls); string(got) != c.want { // there are none without a call
			t.Errorf("%q: called %q, want %q", c.environment, got, c.want)
		}
	}
}

// TestAnInvitationBesideThePackageIsFound: apt, which was told the package's name, runs the script from another folder.
func TestAnInvitationBesideThePackageIsFound(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("files/configure-agent.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir, tools := t.TempDir(), t.TempDir()
	calls, program, apt := filepath.Join(tools, "calls"), filepath.Join(tools, "overcrank-agent"), filepath.Join(tools, "apt-get")
	for path, content := range map[string]string{
		filepath.Join(dir, "overcrank-agent_0.2.0_amd64.deb"): "", filepath.Join(dir, "overcrank-invitation.json"): "{}",
		program: "#!/bin/sh\necho \"$*\" >>'" + calls + "'\n",
		apt:     "#!/bin/sh\n(cd / && exec sh -e -c \"$SCRIPT\")\n",
	} {
		if err := programtest.Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), apt, "install", "-y", "./overcrank-agent_0.2.0_amd64.deb")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "SCRIPT=" + strings.ReplaceAll(string(text), "/usr/bin/overcrank-agent", program)}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := "configure --package " + dir + "/./overcrank-agent_0.2.0_amd64.deb --first-install\n"
	if got, err := os.ReadFile(calls); err != nil || string(got) != want {
		t.Errorf("called %q, %v, want %q", got, err, want)
	}
}
