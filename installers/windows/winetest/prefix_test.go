//go:build linux

// Package winetest installs the agent's package under wine, as an administrator does on Windows, and has it work for a real farm.
package winetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// prefix is a Windows of wine in a folder of its own.
type prefix struct {
	dir    string
	wine   string
	server string
}

// program finds one of wine's, which Debian keeps out of the PATH.
func program(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

const (
	wineFolder  = "/usr/lib/wine/"
	prefixReady = 5 * time.Minute // far more than wine needs, on a machine that does other things too
	stopTime    = time.Minute
)

// newPrefix makes a Windows 10 with ffmpeg and fonts.
func newPrefix(t *testing.T) *prefix {
	t.Helper()
	p := &prefix{dir: filepath.Join(t.TempDir(), "prefix"), wine: program(wineFolder+"wine64", "wine64"), server: program(wineFolder+"wineserver64", "wineserver64", "wineserver")}
	compiler := program("x86_64-w64-mingw32-gcc")
	if p.wine == "" || p.server == "" || compiler == "" {
		t.Skip("wine64 or x86_64-w64-mingw32-gcc is missing: scripts/require wine installs them")
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		_ = p.command(ctx, p.server, "-k").Run() // it fails when nothing runs any more
		_ = p.command(ctx, p.server, "-w").Run()
	})
	ctx, cancel := context.WithTimeout(t.Context(), prefixReady)
	defer cancel()
	boot := p.command(ctx, p.wine, "wineboot", "--init")
	boot.Env = append(boot.Env, "WINEDLLOVERRIDES=mscoree,mshtml=")
	if out, err := boot.CombinedOutput(); err != nil {
		t.Fatalf("making a Windows under wine: %v\n%s", err, out)
	}
	p.rest(t)
	random := p.path(`C:\windows\system32\bcryptprimitives.dll`)
	if out, err := exec.CommandContext(ctx, compiler, "-shared", "-Os", "-s", "-o", random, "shim/bcryptprimitives.c", "-ladvapi32").CombinedOutput(); err != nil {
		t.Fatalf("compiling bcryptprimitives.dll: %v\n%s", err, out)
	}
	if out, err := p.command(ctx, p.wine, "winecfg", "-v", "win10").CombinedOutput(); err != nil {
		t.Fatalf("making it a Windows 10: %v\n%s", err, out)
	}
	p.rest(t)
	p.addFonts(t)
	p.addFFmpeg(t)
	return p
}

// command prepares a program with the prefix as its Windows.
// noRetire lets a machine stay on its farm when its package is uninstalled.
const noRetire = "OVERCRANK_RETIRE=0"

func (p *prefix) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	// A display would let wine wait for somebody who closes its windows.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "DISPLAY=") || strings.HasPrefix(v, "OVERCRANK_") && v != noRetire
	})
	cmd.Env = append(cmd.Env, "WINEPREFIX="+p.dir, "WINEARCH=win64", "WINEDEBUG=-all")
	return cmd
}

// run starts a program of Windows and returns what it says and its exit code.
func (p *prefix) run(t *testing.T, args ...string) (said string, code int) {
	t.Helper()
	// A file, since a pipe would stay open for as long as a service does that the program has started.
	out, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := p.command(t.Context(), p.wine, args...)
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("%s: %v", args[0], err)
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// rest waits until nothing of wine runs, and what it knows is in its files.
func (p *prefix) rest(t *testing.T) {
	t.Helper()
	if err := p.command(t.Context(), p.server, "-w").Run(); err != nil {
		t.Fatalf("waiting for wine to end: %v", err)
	}
}

// path is where Linux has a file of the prefix.
func (p *prefix) path(windows string) string {
	return filepath.Join(p.dir, "drive_c", filepath.FromSlash(strings.ReplaceAll(strings.TrimPrefix(windows, `C:\`), `\`, "/")))
}

// windows is how a program of Windows names a file of Linux.
func windowsPath(linux string) string { return `Z:` + strings.ReplaceAll(linux, "/", `\`) }

func (p *prefix) addFonts(t *testing.T) {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "fc-list", ":", "file").Output()
	if err != nil {
		t.Skipf("fc-list: %v: scripts/require fonts installs it", err)
	}
	added := 0
	for line := range strings.Lines(string(listed)) {
		font := strings.TrimSuffix(strings.TrimSpace(line), ":")
		if name := filepath.Base(font); strings.HasPrefix(name, "Inter-") || strings.HasPrefix(name, "Liberation") {
			copyFile(t, font, p.path(`C:\windows\Fonts\`+name))
			added++
		}
	}
	if added == 0 {
		t.Skip("the fonts Inter and Liberation are missing: scripts/require fonts installs them")
	}
}

// addFFmpeg puts ffmpeg into a folder of Windows that is in every PATH. A package registry has one of 2018 alone; what it does not know olderffmpeg says
// in other words.
func (p *prefix) addFFmpeg(t *testing.T) {
	t.Helper()
	fetched := fetchFFmpeg(t)
	copyFile(t, filepath.Join(fetched, "@ffmpeg-installer", "win32-x64", "ffmpeg.exe"), p.path(`C:\windows\system32\ffmpeg-2018.exe`))
	copyFile(t, filepath.Join(fetched, "@ffprobe-installer", "win32-x64", "ffprobe.exe"), p.path(`C:\windows\system32\ffprobe.exe`))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", p.path(`C:\windows\system32\ffmpeg.exe`), "./olderffmpeg")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compiling olderffmpeg: %v\n%s", err, out)
	}
}

// fetchFFmpeg is the folder of the packages that package-lock.json names, fetched once for each version of it.
func fetchFFmpeg(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is missing, which fetches an ffmpeg for Windows: scripts/require node installs it")
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "overcrank-tests", fmt.Sprintf("winetest-%x", sha256.Sum256(lock)))
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, "node_modules")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), "making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(making)
	for _, name := range []string{"package.json", "package-lock.json"} {
		copyFile(t, name, filepath.Join(making, name))
	}
	t.Logf("fetching ffmpeg for Windows into %s", dir)
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--os=win32", "--cpu=x64", "--force", "--no-fund", "--no-audit", "--ignore-scripts", "--loglevel=error")
	cmd.Dir = making
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fetching ffmpeg for Windows: %v\n%s", err, out)
	}
	if err := os.Rename(making, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules")
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// state is what is on a Windows: the keys of its registry with their values, and the files and folders of places where packages put some.
type state map[string]string

// state reads the prefix. Nothing may run in it: wine writes its registry when it ends.
func (p *prefix) state(t *testing.T) state {
	t.Helper()
	all := state{}
	for _, hive := range []string{"system.reg", "user.reg", "userdef.reg"} {
		text, err := os.ReadFile(filepath.Join(p.dir, hive))
		if err != nil {
			t.Fatal(err)
		}
		key := ""
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\r\n")
			switch {
			case strings.HasPrefix(line, "["):
				key = hive + " " + line[:strings.LastIndexByte(line, ']')+1] // behind it is the time of the last change
				all[key] = ""
			case strings.HasPrefix(line, `"DriverDateData"=`): // when wine was started
			case strings.HasPrefix(line, `"PATH"=`):
				all[key] += emptyEntries.ReplaceAllString(line, `"`) + "\n"
			case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "WINE "):
			default:
				all[key] += line + "\n"
			}
		}
	}
	drive := filepath.Join(p.dir, "drive_c")
	err := filepath.WalkDir(drive, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := strings.TrimPrefix(path, drive); !ofWindows.MatchString(name) {
			all["file "+name] = ""
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// emptyEntries are what wine leaves in the PATH where it has taken an entry out.
var emptyEntries = regexp.MustCompile(`;+"$`)

// ofWindows are files that Windows itself writes while it runs, whatever is installed.
var ofWindows = regexp.MustCompile(`^/(windows/(temp|logs|system32/(winevt|config)|Installer$)|users/[^/]+/(Temp|AppData/Local/Temp))(/|$)`)

// windowsOwn are keys that Windows Installer makes with the first package and keeps, empty, and one that wine takes away with the last source of events
// below it, of which a real Windows has others.
var windowsOwn = []string{
	`[Software\\Classes\\Installer\\Features]`, `[Software\\Classes\\Installer\\Products]`, `[Software\\Classes\\Installer\\UpgradeCodes]`,
	`[Software\\Microsoft\\Windows\\CurrentVersion\\Installer\\UpgradeCodes]`,
	`[Software\\Microsoft\\Windows\\CurrentVersion\\Installer\\UserData\\S-1-5-18\\Components]`,
	`[Software\\Microsoft\\Windows\\CurrentVersion\\Installer\\UserData\\S-1-5-18\\Products]`,
	`[System\\CurrentControlSet\\Services\\Eventlog\\Application]`,
}

// differences from a state before, one a line.
func (s state) differences(before state) []string {
	var all []string
	for name, value := range s {
		switch old, there := before[name]; {
		case !there && value == "" && isWindowsOwn(name):
		case !there:
			all = append(all, "new: "+name+" "+value)
		case old != value:
			all = append(all, fmt.Sprintf("changed: %s\n%s\nwas\n%s", name, value, old))
		}
	}
	for name, value := range before {
		if _, there := s[name]; !there && (value != "" || !isWindowsOwn(name)) {
			all = append(all, "gone: "+name)
		}
	}
	slices.Sort(all)
	return all
}

func isWindowsOwn(name string) bool {
	_, key, _ := strings.Cut(name, " ")
	return slices.Contains(windowsOwn, key)
}
