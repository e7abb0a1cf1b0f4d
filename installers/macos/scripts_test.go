package macos_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/durable/programtest"
	"overcrank/installers/macos/cpio"
)

// mac is a folder in the place of a Mac's volume, with doubles of Apple's commands and of the agent's program. A double writes down how it was
// called, and does what the test has told it.
type mac struct {
	t      *testing.T
	volume string
	tools  string // folder of the doubles
	calls  string // file in which they write down their calls
}

// The doubles of Apple's commands, by name. What they say is what macOS 14 says; STATE is a folder of the test's.
var doubles = map[string]string{
	// A service that is starting takes some tries when the one before still ends: the file "busy" has how many.
	"launchctl": `case "$1" in
bootstrap)
	left=$(cat "$STATE/busy" 2>/dev/null || echo 0)
	if [ "$left" -gt 0 ]; then
		echo $((left - 1)) >"$STATE/busy"
		echo "Bootstrap failed: 5: Input/output error" >&2
		exit 5
	fi ;;
bootout) [ -e "$STATE/loaded" ] || { echo "Boot-out failed: 3: No such process" >&2; exit 3; } ;;
esac`,
	"stat":    `cat "$STATE/console"`, // stat -f %u /dev/console
	"ps":      `cat "$STATE/processes"`,
	"plutil":  `cat "$STATE/managed-$2" 2>/dev/null || { echo "Could not extract value" ; exit 1; }`,
	"pkgutil": ``,
	"chown":   ``,
	"sleep":   ``,
	"id":      `echo 0`,
}

// newMac is a Mac with somebody at its screen, and another person who was switched away from.
func newMac(t *testing.T) *mac {
	t.Helper()
	m := &mac{t: t, volume: t.TempDir(), tools: t.TempDir()}
	m.calls = filepath.Join(m.tools, "calls")
	for name, does := range doubles {
		m.double(filepath.Join(m.tools, name), name, does)
	}
	m.tell("console", "501\n")
	m.tell("processes", "    0 /sbin/launchd\n  501 /System/Library/CoreServices/Dock.app/Contents/MacOS/Dock\n  502 /System/Library/CoreServices/Dock.app/Contents/MacOS/Dock\n")
	return m
}

// double writes a program that notes how it was called, under a name, and then does something.
func (m *mac) double(path, name, does string) {
	m.t.Helper()
	text := "#!/bin/sh\nSTATE='" + m.tools + "'\nprintf '%s\\n' \"" + name + " $*\" >>\"$STATE/calls\"\n" + does + "\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := programtest.Write(path, []byte(text)); err != nil {
		m.t.Fatal(err)
	}
}

// tell writes what a double reads; an empty text takes it away.
func (m *mac) tell(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.tools, name)
	if text == "" {
		_ = os.Remove(path)
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// install does what Installer does with a package: preinstall, the payload, postinstall. agentDoes is what the double of the agent's program does
// when it is called.
func (m *mac) install(pkg, agentDoes string) (said string, err error) {
	m.t.Helper()
	data := read(m.t, pkg)
	scripts := unpack(m.t, component(m.t, data, "Scripts"))
	if said, err := m.run(scripts["preinstall"].data, pkg, "/", m.volume); err != nil {
		return said, err
	}
	m.extract(unpack(m.t, component(m.t, data, "Payload")))
	m.double(m.path(home+"/bin/overcrank"), "overcrank", agentDoes)
	return m.run(scripts["postinstall"].data, pkg, "/", m.volume)
}

func (m *mac) extract(files map[string]packed) {
	m.t.Helper()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names) // folders before what is in them
	for _, name := range names {
		f, path := files[name], m.path(name)
		var err error
		if f.Mode&cpio.TypeMask == cpio.Directory {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, f.data, fs.FileMode(f.Mode&0o777))
		}
		if err != nil {
			m.t.Fatal(err)
		}
	}
}

// run runs a script of the package. Two of its lines are others than on a Mac: where commands are found, and for the uninstaller the volume.
func (m *mac) run(script []byte, args ...string) (string, error) {
	m.t.Helper()
	const path, root = "\nPATH=/usr/bin:/bin:/usr/sbin:/sbin\n", "\nvolume=\n"
	text := string(script)
	if strings.Count(text, path) != 1 {
		m.t.Fatal("the script does not say where its commands are")
	}
	text = strings.Replace(text, path, "\nPATH='"+m.tools+"':/usr/bin:/bin\n", 1)
	text = strings.Replace(text, root, "\nvolume='"+m.volume+"'\n", 1)
	file := filepath.Join(m.tools, "script")
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		m.t.Fatal(err)
	}
	out, err := exec.Command("sh", append([]string{file}, args...)...).CombinedOutput()
	return string(out), err
}

func (m *mac) path(name string) string { return filepath.Join(m.volume, name) }

// called returns the calls of the doubles since it was asked last, without those that look at the machine only.
func (m *mac) called() []string {
	m.t.Helper()
	text, err := os.ReadFile(m.calls)
	if err != nil {
		m.t.Fatal(err)
	}
	_ = os.Remove(m.calls)
	var calls []string
	for line := range strings.Lines(string(text)) {
		line = strings.ReplaceAll(strings.TrimSpace(line), m.volume, "")
		if verb, _, _ := strings.Cut(line, " "); !slices.Contains([]string{"stat", "ps", "id", "sleep", "chown", "plutil"}, verb) {
			calls = append(calls, line)
		}
	}
	return calls
}

func (m *mac) there(name string) bool {
	_, err := os.Lstat(m.path(name))
	return err == nil
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("called:\n\t%s\nwant:\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// What a package does first and last on a Mac with two people.
var (
	stops = []string{
		"launchctl bootout gui/501/studio.overcrank.session", "launchctl bootout gui/501/studio.overcrank.agent",
		"launchctl bootout gui/502/studio.overcrank.session", "launchctl bootout gui/502/studio.overcrank.agent", "launchctl bootout system/studio.overcrank.agent",
	}
	starts = []string{
		"launchctl bootstrap system /Library/LaunchDaemons/studio.overcrank.agent.plist",
		"launchctl bootstrap gui/501 /Library/LaunchAgents/studio.overcrank.session.plist",
		"launchctl bootstrap gui/502 /Library/LaunchAgents/studio.overcrank.session.plist",
	}
)

func TestTheFirstInstall(t *testing.T) {
	t.Parallel()
	m := newMac(t)
	pkg, _ := firstPackage(t)
	invited := filepath.Join(t.TempDir(), "overcrank-agent__farm.studio_8080__INVITE.pkg")
	if err := os.Rename(pkg, invited); err != nil {
		t.Fatal(err)
	}
	if said, err := m.install(invited, ""); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	same(t, m.called(), slices.Concat(stops, []string{"overcrank agent configure --package " + invited + " --first-install"}, starts)...)
	if target, err := os.Readlink(m.path("usr/local/bin/overcrank")); err != nil || target != m.path(home+"/bin/overcrank") {
		t.Errorf("the command is linked to %q, %v", target, err)
	}
	for _, name := range []string{
		home + "/bin/versions/0.1.0/overcrank-agent", home + "/uninstall.command", home + "/licences.txt",
		"Library/LaunchDaemons/studio.overcrank.agent.plist", "private/etc/newsyslog.d/studio.overcrank.agent.conf", "Library/Logs/Overcrank",
	} {
		if !m.there(name) {
			t.Errorf("there is no %s", name)
		}
	}
}

// TestAnAgentThatSomebodyStartedForThemselvesIsTakenOver: two of them would work in one data folder.
func TestAnAgentThatSomebodyStartedForThemselvesIsTakenOver(t *testing.T) {
	t.Parallel()
	m := newMac(t)
	own := "Users/anna/Library/LaunchAgents/studio.overcrank.agent.plist"
	if err := os.MkdirAll(filepath.Dir(m.path(own)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.path(own), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	pkg, _ := firstPackage(t)
	if said, err := m.install(pkg, ""); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if m.there(own) {
		t.Error("the person's own agent starts again when they sign in")
	}
}

func TestAnUpgradeInPlace(t *testing.T) {
	t.Parallel()
	m := newMac(t)
	first, _ := firstPackage(t)
	second, _ := built(t, input(t, "0.2.0-3-gabcdef0"))
	if said, err := m.install(first, "echo settings >'"+m.path(home+"/agent.yaml")+"'"); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	m.called()
	m.tell("loaded", "yes")
	m.tell("busy", "3") // the agent of the version before still gives its renders back
	// There is no invitation this time, and an agent that says so must not fail the upgrade.
	if said, err := m.install(second, "exit 2"); err != nil || !strings.Contains(said, "keeps those it has") {
		t.Fatalf("%v: %s", err, said)
	}
	calls := m.called()
	same(t, calls, slices.Concat(stops, []string{"overcrank agent configure --package " + second}, []string{starts[0], starts[0], starts[0]}, starts)...)
	if m.there(home+"/bin/versions/0.1.0") || !m.there(home+"/bin/versions/0.2.0-3-gabcdef0/overcrank-agent") {
		t.Error("the versions beside the launcher are not the new one alone")
	}
	if settings := read(t, m.path(home+"/agent.yaml")); string(settings) != "settings\n" {
		t.Errorf("the settings are %q", settings)
	}
}

func TestNobodyIsSignedIn(t *testing.T) {
	t.Parallel()
	for name, console := range map[string]string{"login window": "0\n", "setup assistant": "248\n"} {
		m := newMac(t)
		m.tell("console", console)
		m.tell("processes", "    0 /sbin/launchd\n")
		pkg, _ := firstPackage(t)
		if said, err := m.install(pkg, ""); err != nil {
			t.Fatalf("%s: %v: %s", name, err, said)
		}
		same(t, m.called(), stops[4], "overcrank agent configure --package "+pkg+" --first-install", starts[0])
	}
}

func TestAnswersOfAnMDM(t *testing.T) {
	t.Parallel()
	m := newMac(t)
	pkg, _ := firstPackage(t)
	for name, text := range map[string]string{
		"Library/Managed Preferences/studio.overcrank.agent.plist": "(what plutil reads)", home + "/overcrank-invitation.json": "{}",
	} {
		if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m.tell("managed-Server", "https://farm.studio:8080\n")
	m.tell("managed-Tags", "gpu,large room\n")
	m.tell("managed-Join", "ocj_secret\n") // which no command line may hold: every account can see those
	if said, err := m.install(pkg, `[ "$5 $6 $7 $8 $9" = "--first-install --server https://farm.studio:8080 --tags gpu,large room" ] && [ "$OVERCRANK_AGENT_JOIN" = ocj_secret ]`); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	// The invitation lay in our folder: it is looked for beside the package, under the package's own name.
	want := "overcrank agent configure --package /" + home + "/" + filepath.Base(pkg) + " --first-install --server https://farm.studio:8080 --tags gpu,large room"
	if calls := m.called(); !slices.Contains(calls, want) {
		t.Errorf("called:\n%s", strings.Join(calls, "\n"))
	}
	if m.there(home + "/overcrank-invitation.json") {
		t.Error("the invitation was taken and is still there")
	}
}

func TestAnInvitationThatIsNotTaken(t *testing.T) {
	t.Parallel()
	m := newMac(t)
	pkg, _ := firstPackage(t)
	invitation := m.path(home + "/overcrank-invitation.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(invitation), 0o755), os.WriteFile(invitation, []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	said, err := m.install(pkg, "echo 'the invitation has run out'; exit 1")
	if m.there(home + "/overcrank-invitation.json") {
		t.Error("the invitation stays on the Mac, with its token")
	}
	if err == nil || !strings.Contains(said, "sudo overcrank agent configure") {
		t.Errorf("%v: %s", err, said)
	}
	if calls := m.called(); slices.Contains(calls, starts[0]) {
		t.Error("an agent without a farm was started")
	}
}

func TestLaunchdTakesNothing(t *testing.T) {
	t.Parallel()
	m := newMac(t)
	m.tell("busy", "1000")
	pkg, _ := firstPackage(t)
	if said, err := m.install(pkg, ""); err == nil || !strings.Contains(said, "Input/output error") {
		t.Errorf("%v: %s", err, said)
	}
}

func TestACommandOfSomebodyElseStays(t *testing.T) {
	t.Parallel()
	m := newMac(t)
	link := m.path("usr/local/bin/overcrank")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../Cellar/overcrank", link); err != nil {
		t.Fatal(err)
	}
	pkg, _ := firstPackage(t)
	if said, err := m.install(pkg, ""); err != nil || !strings.Contains(said, "stays as it is") {
		t.Fatalf("%v: %s", err, said)
	}
	if target, err := os.Readlink(link); err != nil || target != "../Cellar/overcrank" {
		t.Errorf("%q, %v", target, err)
	}
}

func TestUninstalling(t *testing.T) {
	t.Parallel()
	for _, purge := range []bool{false, true} {
		m := newMac(t)
		pkg, _ := firstPackage(t)
		configured := "[ \"$2\" != configure ] || echo settings >'" + m.path(home+"/agent.yaml") + "'"
		if said, err := m.install(pkg, configured); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		m.called()
		m.tell("loaded", "yes")
		var args []string
		if purge {
			args = []string{"--purge"}
		}
		if said, err := m.run(read(t, m.path(home+"/uninstall.command")), args...); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		same(t, m.called(), stops[0], stops[2], stops[4], "overcrank agent retire", "overcrank agent panel remove",
			"pkgutil --forget studio.overcrank.agent", "pkgutil --forget studio.overcrank.panel")
		for _, name := range []string{
			home + "/bin", home + "/uninstall.command", "usr/local/bin/overcrank", "private/etc/newsyslog.d/studio.overcrank.agent.conf",
			"Library/LaunchDaemons/studio.overcrank.agent.plist", "Library/LaunchAgents/studio.overcrank.session.plist",
		} {
			if m.there(name) {
				t.Errorf("purge %v: %s is still there", purge, name)
			}
		}
		if m.there(home+"/agent.yaml") == purge || m.there("Library/Logs/Overcrank") == purge {
			t.Errorf("purge %v: the settings stay: %v, the logs: %v", purge, m.there(home+"/agent.yaml"), m.there("Library/Logs/Overcrank"))
		}
	}
	uninstallsElsewhere(t)
	m := newMac(t)
	script, err := os.ReadFile("files/uninstall.command")
	if err != nil {
		t.Fatal(err)
	}
	if said, err := m.run(script, "--everything"); err == nil || !strings.Contains(said, "usage:") {
		t.Errorf("%v: %s", err, said)
	}
}

// uninstallsElsewhere purges an agent whose data folder is another one, with the folder beside it. A folder that is not an agent's stays.
func uninstallsElsewhere(t *testing.T) {
	t.Helper()
	for _, agents := range []bool{true, false} {
		m := newMac(t)
		data := filepath.Join(t.TempDir(), "Farm's Data")
		pkg, _ := firstPackage(t)
		settings := "data-dir: '" + strings.ReplaceAll(data, "'", "''") + "'\n"
		if said, err := m.install(pkg, "[ \"$2\" != configure ] || cat >'"+m.path(home+"/agent.yaml")+"' <<'END'\n"+settings+"END"); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		for _, folder := range []string{data, data + "-work"} {
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if agents {
			if err := os.WriteFile(filepath.Join(data, "credential.json"), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if said, err := m.run(read(t, m.path(home+"/uninstall.command")), "--purge"); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		for _, folder := range []string{data, data + "-work"} {
			if _, err := os.Stat(folder); (err == nil) == agents {
				t.Errorf("an agent's folder %v: %s is there: %v", agents, folder, err == nil)
			}
		}
	}
}
