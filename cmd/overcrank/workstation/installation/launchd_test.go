package installation

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/agent/identity"
)

// doubles stand for Apple's commands: they write down how they were called, and know which jobs launchd has.
type doubles struct {
	volume string
	calls  []string
	loaded map[string]bool
	busy   int // how many more times launchd takes no job
	pkg    bool
}

var errDouble = errors.New("exit status 5")

func (d *doubles) run(_ context.Context, program string, args ...string) (string, error) {
	call := strings.ReplaceAll(program+" "+strings.Join(args, " "), d.volume, "")
	switch program + " " + args[0] {
	case "ps -axo":
		return "    0 /sbin/launchd\n  501 /System/Library/CoreServices/Dock.app/Contents/MacOS/Dock\n  502 /System/Library/CoreServices/Dock.app/Contents/MacOS/Dock\n" +
			"  501 /System/Library/CoreServices/Dock.app/Contents/MacOS/Dock\n", nil
	case "pkgutil --pkg-info":
		if d.pkg {
			return "package-id: studio.overcrank.agent", nil
		}
		return "No receipt for 'studio.overcrank.agent'", errDouble
	case "launchctl print":
		if d.loaded[args[1]] {
			return "", nil
		}
		return "Could not find service", errDouble
	case "launchctl bootstrap":
		d.calls = append(d.calls, call)
		if d.busy > 0 {
			d.busy--
			return "Bootstrap failed: 5: Input/output error", errDouble
		}
		d.loaded[args[1]+"/"+strings.TrimSuffix(filepath.Base(args[2]), ".plist")] = true
		return "", nil
	case "launchctl bootout":
		d.calls = append(d.calls, call)
		if !d.loaded[args[1]] {
			return "Boot-out failed: 3: No such process", errDouble
		}
		delete(d.loaded, args[1])
		return "", nil
	}
	return "", errors.New("no double for " + call)
}

// called returns the calls that change something since it was asked last.
func (d *doubles) called() []string {
	calls := d.calls
	d.calls = nil
	return calls
}

func newMac(t *testing.T) (mac, *doubles, Programs) {
	t.Helper()
	d := &doubles{volume: t.TempDir(), loaded: map[string]bool{}}
	download := t.TempDir()
	p := Programs{Launcher: filepath.Join(download, "overcrank-launcher"), Agent: filepath.Join(download, "overcrank-agent"), Version: "0.1.0"}
	for _, path := range []string{p.Launcher, p.Agent} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return mac{volume: d.volume, run: d.run}, d, p
}

var (
	starts = []string{
		"launchctl bootstrap system /Library/LaunchDaemons/studio.overcrank.agent.plist",
		"launchctl bootstrap gui/501 /Library/LaunchAgents/studio.overcrank.session.plist",
		"launchctl bootstrap gui/502 /Library/LaunchAgents/studio.overcrank.session.plist",
	}
	// An agent that somebody started for themselves is looked for each time.
	takeOver = []string{"launchctl bootout gui/501/studio.overcrank.agent", "launchctl bootout gui/502/studio.overcrank.agent"}
	stops    = []string{
		"launchctl bootout gui/501/studio.overcrank.session", "launchctl bootout gui/502/studio.overcrank.session", "launchctl bootout system/studio.overcrank.agent",
	}
)

func (m mac) install(t *testing.T, p Programs) (changed bool) {
	t.Helper()
	changed, err := m.Place(t.Context(), p)
	if err == nil {
		err = m.Start(t.Context(), changed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// tree lists what is on a volume, with permissions.
func tree(t *testing.T, volume string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(volume, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && path != volume {
			all = append(all, info.Mode().String()+" "+strings.TrimPrefix(path, volume))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAMacIsInstalledAsByThePackage(t *testing.T) {
	t.Parallel()
	m, apple, p := newMac(t)
	if m.Installed() {
		t.Error("an empty volume has an agent")
	}
	apple.busy = 3
	if !m.install(t, p) {
		t.Error("the first installation changes nothing")
	}
	if got, want := apple.called(), slices.Concat(takeOver, stops, []string{starts[0], starts[0], starts[0]}, starts); !slices.Equal(got, want) {
		t.Errorf("called %q, want %q", got, want)
	}
	files := tree(t, m.volume)
	for _, want := range []string{
		"-rwxr-xr-x /Library/Application Support/Overcrank/bin/overcrank",
		"-rwxr-xr-x /Library/Application Support/Overcrank/bin/versions/0.1.0/overcrank-agent",
		"-rw-r--r-- /Library/LaunchDaemons/studio.overcrank.agent.plist", "-rw-r--r-- /Library/LaunchAgents/studio.overcrank.session.plist",
		"-rw-r--r-- /private/etc/newsyslog.d/studio.overcrank.agent.conf", "drwxr-xr-x /Library/Logs/Overcrank",
	} {
		if !slices.Contains(files, want) {
			t.Errorf("there is no %s in\n%s", want, strings.Join(files, "\n"))
		}
	}
	if target, err := os.Readlink(m.link()); err != nil || target != m.Launcher() {
		t.Errorf("the command is linked to %q, %v", target, err)
	}

	if m.install(t, p) {
		t.Error("the same again is a change")
	}
	if got := apple.called(); !slices.Equal(got, takeOver) {
		t.Errorf("the same again called %q", got)
	}

	p.Version = "0.2.0"
	if !m.install(t, p) {
		t.Error("a newer version changes nothing")
	}
	if got, want := apple.called(), slices.Concat(takeOver, stops, starts); !slices.Equal(got, want) {
		t.Errorf("called %q, want %q", got, want)
	}
	if _, err := os.Stat(m.home() + "/bin/versions/0.1.0"); err == nil {
		t.Error("the older version is still there")
	}
}

func TestAMacIsAsBeforeAfterPurging(t *testing.T) {
	t.Parallel()
	for _, purge := range []bool{true, false} {
		m, apple, p := newMac(t)
		for _, folder := range []string{"/Library/LaunchAgents", "/Library/LaunchDaemons", "/Library/Logs", "/private/etc/newsyslog.d", "/usr/local/bin"} {
			if err := os.MkdirAll(m.volume+folder, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(m.volume+"/Library/Application Support", 0o755); err != nil {
			t.Fatal(err)
		}
		before := tree(t, m.volume)
		m.install(t, p)
		data := filepath.Join(t.TempDir(), "fast disk")
		for _, path := range []string{m.home() + "/agent.yaml", m.home() + "/agent/pause.json", m.logs() + "/agent.log", filepath.Join(data, identity.CredentialFile), data + "-work/attempt"} {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		apple.called()
		if err := m.Remove(t.Context(), purge, data); err != nil {
			t.Fatal(err)
		}
		if got := apple.called(); !slices.Equal(got, stops) {
			t.Errorf("called %q, want %q", got, stops)
		}
		after := tree(t, m.volume)
		if purge && !slices.Equal(before, after) {
			t.Errorf("purging leaves\n%s\nwant\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
		}
		for _, path := range []string{m.home() + "/agent.yaml", m.home() + "/agent/pause.json", m.logs() + "/agent.log", data, data + "-work"} {
			if _, err := os.Stat(path); (err == nil) == purge {
				t.Errorf("purge %v: %s: %v", purge, path, err)
			}
		}
		if _, err := os.Stat(m.home() + "/bin"); err == nil {
			t.Errorf("purge %v: the programs are still there", purge)
		}
	}
}

func TestPurgingSparesAFolderThatIsNoAgents(t *testing.T) {
	t.Parallel()
	m, _, p := newMac(t)
	m.install(t, p)
	films := t.TempDir()
	if err := os.WriteFile(filepath.Join(films, "film.mov"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := m.Remove(t.Context(), true, films); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(films, "film.mov")); err != nil {
		t.Error(err)
	}
}

// TestAnAgentThatSomebodyStartedForThemselvesIsTakenOver: two of them would work in one data folder.
func TestAnAgentThatSomebodyStartedForThemselvesIsTakenOver(t *testing.T) {
	t.Parallel()
	m, apple, p := newMac(t)
	own := m.volume + "/Users/anna/Library/LaunchAgents/studio.overcrank.agent.plist"
	credential := m.home() + "/agent/" + identity.CredentialFile
	for _, path := range []string{own, credential} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	apple.loaded["gui/501/studio.overcrank.agent"] = true
	m.install(t, p)
	if apple.loaded["gui/501/studio.overcrank.agent"] || !apple.loaded["system/studio.overcrank.agent"] {
		t.Errorf("launchd runs %v", apple.loaded)
	}
	if _, err := os.Stat(own); err == nil {
		t.Error("the person's own agent starts again when they sign in")
	}
	if _, err := os.Stat(credential); err != nil {
		t.Errorf("the machine has lost its identity: %v", err)
	}
}

func TestACommandOfSomebodyElseStays(t *testing.T) {
	t.Parallel()
	m, _, p := newMac(t)
	if err := os.MkdirAll(filepath.Dir(m.link()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../Cellar/overcrank", m.link()); err != nil {
		t.Fatal(err)
	}
	m.install(t, p)
	if err := m.Remove(t.Context(), true, ""); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(m.link()); err != nil || target != "../Cellar/overcrank" {
		t.Errorf("%q, %v", target, err)
	}
}

func TestAPackageIsLeftToItsUninstaller(t *testing.T) {
	t.Parallel()
	m, apple, _ := newMac(t)
	if way, err := m.Packaged(t.Context()); way != "" || err != nil {
		t.Errorf("%q, %v", way, err)
	}
	apple.pkg = true
	if way, err := m.Packaged(t.Context()); !strings.Contains(way, "uninstall.command") || err != nil {
		t.Errorf("%q, %v", way, err)
	}
}
