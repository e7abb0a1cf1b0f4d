package installation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"overcrank/interval"
	"overcrank/launcher/units"
)

// mac is a Mac, or a folder in the place of its volume.
type mac struct {
	volume string // "" for the real one
	run    runner
	wait   time.Duration // between two tries to start a service
}

// Labels of launchd's jobs, and the identifier of the package.
const (
	daemonLabel  = "studio.overcrank.agent"
	sessionLabel = "studio.overcrank.session"
)

// bootstrapTries is how often launchd is asked to start a job: until the one before has ended, it takes nothing of its name.
const bootstrapTries = 30

func (m mac) home() string     { return m.volume + "/Library/Application Support/Overcrank" }
func (m mac) logs() string     { return m.volume + "/Library/Logs/Overcrank" }
func (m mac) link() string     { return m.volume + "/usr/local/bin/overcrank" }
func (m mac) daemon() string   { return m.volume + "/Library/LaunchDaemons/" + units.AgentDaemon }
func (m mac) session() string  { return m.volume + "/Library/LaunchAgents/" + units.Session }
func (m mac) rotation() string { return m.volume + "/private/etc/newsyslog.d/" + units.LogRotation }

// Launcher is the path of the installed launcher.
func (m mac) Launcher() string { return m.home() + "/bin/overcrank" }

func (mac) Allowed() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("%w: run the command with sudo", ErrAdministrator)
	}
	return nil
}

// Packaged asks for the package's receipt.
func (m mac) Packaged(ctx context.Context) (string, error) {
	if _, err := m.run(ctx, "pkgutil", "--pkg-info", daemonLabel); err != nil {
		return "", ctx.Err()
	}
	return fmt.Sprintf("install the newer package to upgrade it, or remove it first: sudo '%s/uninstall.command'", m.home()), nil
}

func (m mac) Installed() bool {
	_, err := os.Stat(m.Launcher())
	return err == nil
}

func (m mac) Place(ctx context.Context, p Programs) (bool, error) {
	version := filepath.Join(m.home(), "bin", "versions", p.Version)
	ours := []string{m.home(), m.home() + "/bin", m.home() + "/bin/versions", version, m.logs()}
	if err := makeFolders(0o755, append(ours, filepath.Dir(m.daemon()), filepath.Dir(m.session()), filepath.Dir(m.rotation()))...); err != nil {
		return false, err
	}
	// Whoever may have made them before: nobody but root may change what root runs.
	for _, folder := range ours {
		if err := steps(func() error { return m.ownedByRoot(folder) }, func() error { return os.Chmod(folder, 0o755) }); err != nil {
			return false, err
		}
	}
	if err := m.takeOver(ctx); err != nil {
		return false, err
	}
	changed := false
	file := func(path string, write func() (bool, error)) error {
		wrote, err := write()
		changed = changed || wrote
		if err != nil {
			return err
		}
		return m.ownedByRoot(path)
	}
	text := func(path, name string) func() error {
		return func() error {
			return file(path, func() (bool, error) { return put(path, units.Text(name), 0o644) })
		}
	}
	agent := filepath.Join(version, "overcrank-agent")
	err := steps(
		func() error { return file(agent, func() (bool, error) { return putProgram(p.Agent, agent) }) },
		func() error {
			if p.Launcher == "" {
				return nil
			}
			return file(m.Launcher(), func() (bool, error) { return putProgram(p.Launcher, m.Launcher()) })
		},
		text(m.daemon(), units.AgentDaemon), text(m.session(), units.Session), text(m.rotation(), units.LogRotation),
		func() error { return others(filepath.Dir(version), p.Version) },
		func() error { return link(m.Launcher(), m.link()) },
	)
	return changed, err
}

// takeOver ends an agent that somebody runs as a launch agent of their own. It has the daemon's label and its data folder, whose identity the
// daemon goes on with.
func (m mac) takeOver(ctx context.Context) error {
	desktops, err := m.desktops(ctx)
	if err != nil {
		return err
	}
	for _, desktop := range desktops {
		_, _ = m.run(ctx, "launchctl", "bootout", desktop+"/"+daemonLabel) // none is the rule
	}
	own, err := filepath.Glob(m.volume + "/Users/*/Library/LaunchAgents/" + units.AgentDaemon)
	if err != nil {
		return err
	}
	if err := remove(own...); err != nil {
		return fmt.Errorf("removing the agent that somebody started for themselves: %w", err)
	}
	return filepath.WalkDir(m.home()+"/agent", func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return m.ownedByRoot(path)
	})
}

// ownedByRoot gives a file to root and its group, wheel: on macOS a new file has the group of its folder.
func (m mac) ownedByRoot(path string) error {
	if os.Geteuid() != 0 {
		return nil // in a folder of a test
	}
	return os.Lchown(path, 0, 0)
}

func (m mac) Start(ctx context.Context, again bool) error {
	desktops, err := m.desktops(ctx)
	if err != nil {
		return err
	}
	if again {
		m.stop(ctx, desktops)
	}
	if err := m.bootstrap(ctx, "system", m.daemon(), daemonLabel); err != nil {
		return err
	}
	for _, desktop := range desktops {
		// Without it, After Effects is available once the person signs in again.
		if err := m.bootstrap(ctx, desktop, m.session(), sessionLabel); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// bootstrap has launchd start a job in a domain, unless it has it already.
func (m mac) bootstrap(ctx context.Context, domain, plist, label string) error {
	if _, err := m.run(ctx, "launchctl", "print", domain+"/"+label); err == nil {
		return nil
	}
	var err error
	for range bootstrapTries {
		if _, err = m.run(ctx, "launchctl", "bootstrap", domain, plist); err == nil {
			return nil
		}
		if interval.Wait(ctx, m.wait) != nil {
			break
		}
	}
	return fmt.Errorf("launchd does not start the job: %w", err)
}

// stop ends the jobs. Those that do not run are no error.
func (m mac) stop(ctx context.Context, desktops []string) {
	for _, desktop := range desktops {
		_, _ = m.run(ctx, "launchctl", "bootout", desktop+"/"+sessionLabel)
	}
	_, _ = m.run(ctx, "launchctl", "bootout", "system/"+daemonLabel)
}

// desktops are launchd's domains of those who have a desktop: the person at the screen and those who were switched away from.
func (m mac) desktops(ctx context.Context) ([]string, error) {
	list, err := m.run(ctx, "ps", "-axo", "uid=,comm=")
	if err != nil {
		return nil, fmt.Errorf("looking who is signed in: %w", err)
	}
	const firstPerson = 501 // smaller ids are the system's
	var all []string
	seen := map[int]bool{}
	for line := range strings.Lines(list) {
		id, program, _ := strings.Cut(strings.TrimSpace(line), " ")
		uid, err := strconv.Atoi(id)
		if err == nil && uid >= firstPerson && strings.HasSuffix(program, "/Dock") && !seen[uid] {
			seen[uid] = true
			all = append(all, "gui/"+id)
		}
	}
	return all, nil
}

func (m mac) Stop(ctx context.Context) error {
	desktops, err := m.desktops(ctx)
	if err != nil {
		return err
	}
	m.stop(ctx, desktops)
	return nil
}

func (m mac) Remove(ctx context.Context, purge bool, dataDir string) error {
	if err := m.Stop(ctx); err != nil {
		return err
	}
	err := steps(
		func() error { return unlink(m.Launcher(), m.link()) },
		func() error {
			return remove(m.daemon(), m.session(), m.rotation(), m.home()+"/bin", m.home()+"/launcher")
		},
	)
	if err != nil {
		return err
	}
	if purge {
		if err := errors.Join(remove(m.home(), m.logs()), removeData(dataDir)); err != nil {
			return err
		}
	}
	removeEmpty(m.home()+"/agent", m.home(), m.logs())
	return nil
}
