package macos

import (
	"embed"
	"fmt"
	"os"
	"path"
	"strings"

	"overcrank/installers/macos/cpio"
	"overcrank/launcher/units"
	"overcrank/panel"
)

//go:embed files
var embedded embed.FS

// Groups of macOS, by their numbers.
const (
	wheel = 0
	admin = 80
)

// Folders of a Mac that belong to the agent.
const (
	home = "Library/Application Support/Overcrank"
	logs = "Library/Logs/Overcrank"
)

// file is what the package puts on a Mac. Everything is owned by root.
type file struct {
	path string // below the top folder; "." is that
	mode uint32 // type and permissions
	gid  uint32
	data []byte
}

// payload lists what the package puts in place: each file after its folder. The folders of the system have the owners and permissions that
// macOS gives them.
func (in Input) payload(programs []program) ([]file, error) {
	var files []file
	folder := func(path string, gid uint32) {
		files = append(files, file{path: path, mode: cpio.Directory | 0o755, gid: gid})
	}
	plain := func(path string, data []byte, permissions uint32) {
		files = append(files, file{path: path, mode: cpio.Regular | permissions, data: data})
	}
	version := in.Version.String()
	folder(".", wheel)
	folder("Library", wheel)
	folder("Library/Application Support", admin)
	folder(home, wheel)
	folder(home+"/bin", wheel)
	plain(home+"/bin/overcrank", programs[0].data, 0o755)
	folder(home+"/bin/versions", wheel)
	folder(home+"/bin/versions/"+version, wheel)
	plain(home+"/bin/versions/"+version+"/overcrank-agent", programs[1].data, 0o755)
	if in.Licences != "" {
		text, err := os.ReadFile(in.Licences)
		if err != nil {
			return nil, fmt.Errorf("read the licences: %w", err)
		}
		plain(home+"/licences.txt", text, 0o644)
	}
	for _, f := range []struct {
		path        string
		permissions uint32
		folders     []string
	}{
		{home + "/uninstall.command", 0o755, nil},
		{"Library/LaunchAgents/" + sessionID + ".plist", 0o644, []string{"Library/LaunchAgents"}},
		{"Library/LaunchDaemons/" + agentID + ".plist", 0o644, []string{"Library/LaunchDaemons"}},
		{"private/etc/newsyslog.d/" + agentID + ".conf", 0o644, []string{"private", "private/etc", "private/etc/newsyslog.d"}},
	} {
		text := units.Text(path.Base(f.path))
		if text == nil {
			var err error
			if text, err = in.script(path.Base(f.path)); err != nil {
				return nil, err
			}
		}
		for _, p := range f.folders {
			folder(p, wheel)
		}
		plain(f.path, text, f.permissions)
	}
	folder("Library/Logs", wheel)
	folder(logs, wheel)
	return files, nil
}

// Names that Installer has for scripts.
const (
	beforeFiles = "preinstall"
	afterFiles  = "postinstall"
)

// choices are what Installer can put in place: the agent always, the panel for those who ask for it.
func (in Input) choices(agent []file) []choice {
	var files []file
	for _, folder := range []struct {
		path string
		gid  uint32
	}{{".", wheel}, {"Library", wheel}, {"Library/Application Support", admin}, {home, wheel}, {home + "/panel", wheel}} {
		files = append(files, file{path: folder.path, mode: cpio.Directory | 0o755, gid: folder.gid})
	}
	files = append(files, file{path: home + "/panel/" + panel.Name, mode: cpio.Regular | 0o644, data: panel.Source(in.Version.String())})
	return []choice{
		{name: "overcrank-agent.pkg", id: agentID, files: agent, scripts: []script{{beforeFiles, "preinstall"}, {afterFiles, "postinstall"}}},
		{name: "overcrank-panel.pkg", id: panelID, files: files, scripts: []script{{afterFiles, "panel-postinstall"}}},
	}
}

// scripts are run by Installer before and after it puts the payload in place.
func (in Input) scripts(all []script) ([]file, error) {
	files := []file{{path: ".", mode: cpio.Directory | 0o755}}
	for _, s := range all {
		text, err := in.script(s.file)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: s.name, mode: cpio.Regular | 0o755, data: text})
	}
	return files, nil
}

// script is one of the embedded files, filled in: with the version, and with what several scripts need.
func (in Input) script(name string) ([]byte, error) {
	text, err := embedded.ReadFile("files/" + name)
	if err != nil {
		return nil, err
	}
	desktops, err := embedded.ReadFile("files/desktops.sh")
	if err != nil {
		return nil, err
	}
	// A version has letters, digits, hyphens and full stops only.
	fill := strings.NewReplacer("@VERSION@", in.Version.String(), "@DESKTOPS@\n", string(desktops))
	return []byte(fill.Replace(string(text))), nil
}
