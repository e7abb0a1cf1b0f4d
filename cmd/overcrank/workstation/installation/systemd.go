package installation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"

	"overcrank/launcher/units"
)

// linux is a machine with systemd.
type linux struct{ run runner }

// Places on Linux, those of the packages: a package that is installed later takes them over.
const (
	linuxPrograms = "/usr/lib/overcrank-agent"
	linuxLink     = "/usr/bin/overcrank-agent"
	linuxUnit     = "/usr/lib/systemd/system/" + units.AgentService
	linuxSettings = "/etc/overcrank"
	linuxState    = "/var/lib/overcrank"
	linuxTray     = "/etc/xdg/autostart/" + units.Tray
	account       = "overcrank" // of the service
)

func (linux) Allowed() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("%w: run the command with sudo", ErrAdministrator)
	}
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return errors.New("this machine does not run systemd, which starts the agent: have 'overcrank-agent run' started by what starts services here")
	}
	return nil
}

// Packaged asks the package managers whose the launcher is.
func (m linux) Packaged(ctx context.Context) (string, error) {
	for _, manager := range []struct{ program, flag, remove string }{
		{"dpkg-query", "-S", "apt-get remove overcrank-agent"}, {"rpm", "-qf", "dnf remove overcrank-agent"},
	} {
		if _, err := exec.LookPath(manager.program); err != nil {
			continue
		}
		if _, err := m.run(ctx, manager.program, manager.flag, m.Launcher()); err == nil {
			return "install the newer package to upgrade it, or remove the package first: " + manager.remove, nil
		}
	}
	return "", ctx.Err()
}

func (linux) Launcher() string { return filepath.Join(linuxPrograms, "overcrank") }

func (m linux) Installed() bool {
	_, err := os.Stat(m.Launcher())
	return err == nil
}

func (m linux) Place(ctx context.Context, p Programs) (bool, error) {
	if err := m.prepare(ctx); err != nil {
		return false, err
	}
	version := filepath.Join(linuxPrograms, "versions", p.Version)
	if err := makeFolders(0o755, linuxPrograms, filepath.Join(linuxPrograms, "versions"), version, filepath.Dir(linuxUnit), filepath.Dir(linuxTray), linuxSettings); err != nil {
		return false, err
	}
	changed := false
	note := func(wrote bool, err error) error {
		changed = changed || wrote
		return err
	}
	err := steps(
		func() error { return note(putProgram(p.Agent, filepath.Join(version, "overcrank-agent"))) },
		func() error {
			if p.Launcher == "" {
				return nil
			}
			return note(putProgram(p.Launcher, m.Launcher()))
		},
		func() error { return note(put(linuxUnit, units.Text(units.AgentService), 0o644)) },
		func() error { return note(put(linuxTray, units.Text(units.Tray), 0o644)) },
		func() error { // people write to it
			if _, err := os.Stat(filepath.Join(linuxSettings, units.Environment)); err == nil {
				return nil
			}
			return note(put(filepath.Join(linuxSettings, units.Environment), units.Text(units.Environment), 0o600))
		},
		func() error { return others(filepath.Join(linuxPrograms, "versions"), p.Version) },
		func() error { return link(m.Launcher(), linuxLink) },
		func() error { _, err := m.run(ctx, "systemctl", "daemon-reload"); return err },
		func() error { _, err := m.run(ctx, "systemctl", "enable", "--quiet", units.AgentService); return err },
	)
	return changed, err
}

// prepare makes the account of the service and its folders.
func (m linux) prepare(ctx context.Context) error {
	who, err := user.Lookup(account)
	if errors.As(err, new(user.UnknownUserError)) {
		if _, err = m.run(ctx, "useradd", "--system", "--user-group", "--home-dir", linuxState, "--no-create-home", "--shell", "/usr/sbin/nologin",
			"--comment", "Overcrank", account); err != nil {
			return fmt.Errorf("making the account of the service: %w", err)
		}
		who, err = user.Lookup(account)
	}
	if err != nil {
		return fmt.Errorf("finding the account of the service: %w", err)
	}
	uid, gid, err := ids(who)
	if err != nil {
		return err
	}
	for _, folder := range []struct {
		path string
		perm os.FileMode
	}{{linuxState, 0o755}, {linuxState + "/agent", 0o700}, {linuxState + "/launcher", 0o700}} {
		if _, err := os.Lstat(folder.path); err == nil {
			continue // the service's account may have put a link there, which root must not follow
		}
		if err := steps(
			func() error { return os.Mkdir(folder.path, folder.perm) },
			func() error { return os.Lchown(folder.path, uid, gid) },
		); err != nil {
			return fmt.Errorf("making a folder of the service: %w", err)
		}
	}
	return nil
}

func ids(who *user.User) (uid, gid int, err error) {
	if uid, err = strconv.Atoi(who.Uid); err == nil {
		gid, err = strconv.Atoi(who.Gid)
	}
	return uid, gid, err
}

// makeFolders makes folders that anybody may read, whatever the umask of the administrator is.
func makeFolders(perm os.FileMode, folders ...string) error {
	for _, folder := range folders {
		if _, err := os.Stat(folder); err == nil {
			continue
		}
		if err := steps(func() error { return os.MkdirAll(folder, perm) }, func() error { return os.Chmod(folder, perm) }); err != nil {
			return fmt.Errorf("making a folder: %w", err)
		}
	}
	return nil
}

// link makes the command that people type, unless a program of somebody else has the name.
func link(launcher, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := makeFolders(0o755, filepath.Dir(path)); err != nil {
		return err
	}
	return os.Symlink(launcher, path)
}

// unlink takes the command away if it is ours.
func unlink(launcher, path string) error {
	if target, err := os.Readlink(path); err != nil || target != launcher {
		return nil //nolint:nilerr // no link, or of somebody else
	}
	return os.Remove(path)
}

func (m linux) Start(ctx context.Context, again bool) error {
	verb := "start"
	if again {
		verb = "restart"
	}
	_, err := m.run(ctx, "systemctl", verb, units.AgentService)
	return err
}

func (m linux) Stop(ctx context.Context) error {
	if _, err := os.Stat(linuxUnit); err != nil {
		return nil //nolint:nilerr // there is none
	}
	_, err := m.run(ctx, "systemctl", "stop", units.AgentService)
	return err
}

func (m linux) Remove(ctx context.Context, purge bool, dataDir string) error {
	if _, err := os.Stat(linuxUnit); err == nil {
		if _, err := m.run(ctx, "systemctl", "disable", "--quiet", "--now", units.AgentService); err != nil {
			return fmt.Errorf("stopping the service: %w", err)
		}
	}
	err := steps(
		func() error { return unlink(m.Launcher(), linuxLink) },
		func() error { return remove(linuxUnit, linuxTray, linuxPrograms, linuxState+"/launcher") },
		func() error { _, err := m.run(ctx, "systemctl", "daemon-reload"); return err },
	)
	if err != nil {
		return err
	}
	if purge {
		if err := remove(linuxState+"/agent", linuxState+"/agent-work", filepath.Join(linuxSettings, "agent.yaml"), filepath.Join(linuxSettings, units.Environment)); err != nil {
			return err
		}
		if err := removeData(dataDir); err != nil {
			return err
		}
	}
	environment := filepath.Join(linuxSettings, units.Environment)
	if text, err := os.ReadFile(environment); err == nil && bytes.Equal(text, units.Text(units.Environment)) { // nobody has written to it
		if err := os.Remove(environment); err != nil {
			return err
		}
	}
	removeEmpty(linuxState+"/agent", linuxState, linuxSettings, filepath.Dir(linuxTray), filepath.Dir(filepath.Dir(linuxTray)))
	if _, err := os.Stat(linuxState); purge && errors.Is(err, os.ErrNotExist) { // no coordinator uses the account
		if _, err := user.Lookup(account); err == nil {
			_, err := m.run(ctx, "userdel", account)
			return err
		}
	}
	return nil
}
