package linux

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"text/template"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/files"

	"overcrank/launcher/units"
)

// pkg is one package: what it is, and what it brings.
type pkg struct {
	name        string
	service     string
	summary     string
	description string
	depends     map[string][]string // by format, since distributions name packages differently
	recommends  map[string][]string
	suggests    map[string][]string
	// contents are its own files: programs and configuration. What all packages have is added.
	contents func(in Input, work, programs string) files.Contents
	atOnce   bool     // the service is started as soon as it is installed
	prepare  string   // a script among the files that runs before that; "" for none
	say      string   // what the installation ends with, as a shell script
	data     []string // folders of the service's account, made by installing and deleted by purging
	leftover []string // files and folders that others make of it, deleted by purging
}

// packages are all there are.
var packages = []pkg{
	{
		name:    "overcrank",
		service: "overcrank-coordinator",
		summary: "Render farm for Adobe After Effects: coordinator and command line",
		description: `The render farm that a studio runs on its own machines.
This package has the whole program, with the service of a coordinator.
Machines that only render need overcrank-agent.`,
		recommends: map[string][]string{"deb": {"ca-certificates"}, "rpm": {"ca-certificates"}},
		suggests:   map[string][]string{"deb": {"ffmpeg", "fonts-liberation"}, "rpm": {"ffmpeg-free", "liberation-fonts"}},
		contents: func(_ Input, work, programs string) files.Contents {
			return files.Contents{
				file(filepath.Join(programs, "overcrank"), "/usr/bin/overcrank", 0o755),
				config(filepath.Join(work, "coordinator.yaml"), "/etc/overcrank/coordinator.yaml", 0o644),
				config(filepath.Join(work, "coordinator.env"), "/etc/overcrank/coordinator.env", 0o600),
			}
		},
		say:  sayCoordinator,
		data: []string{"/var/lib/overcrank/coordinator"},
	},
	{
		name:    "overcrank-agent",
		service: "overcrank-agent",
		summary: "Render farm for Adobe After Effects: agent of a machine that renders",
		description: `Renders for a farm whose coordinators have the package overcrank.
The service is a small launcher, which the farm can hand new versions of the agent.`,
		recommends: map[string][]string{"deb": {"ca-certificates", "fonts-liberation"}, "rpm": {"ca-certificates", "liberation-fonts", "/usr/bin/ffmpeg"}},
		depends:    map[string][]string{"deb": {"ffmpeg"}}, // which some distributions with rpm have in no repository of theirs
		contents: func(in Input, work, programs string) files.Contents {
			return files.Contents{
				folder("/usr/lib/overcrank-agent"), folder("/usr/lib/overcrank-agent/versions"), folder("/usr/lib/overcrank-agent/versions/" + in.Version.String()),
				file(filepath.Join(programs, "overcrank-launcher"), "/usr/lib/overcrank-agent/overcrank", 0o755),
				file(filepath.Join(programs, "overcrank-agent"), "/usr/lib/overcrank-agent/versions/"+in.Version.String()+"/overcrank-agent", 0o755),
				{Source: "/usr/lib/overcrank-agent/overcrank", Destination: "/usr/bin/overcrank-agent", Type: files.TypeSymlink},
				config(filepath.Join(work, "agent.env"), "/etc/overcrank/agent.env", 0o600),
				config(filepath.Join(work, units.Tray), "/etc/xdg/autostart/"+units.Tray, 0o644),
			}
		},
		atOnce:  true,
		prepare: "configure-agent.sh",
		say:     sayAgent,
		data:    []string{"/var/lib/overcrank/agent", "/var/lib/overcrank/launcher"},
		// The second is the folder of work, where the settings have After Effects run in people's sessions.
		leftover: []string{"/etc/overcrank/agent.yaml", "/var/lib/overcrank/agent-work"},
	},
}

// sayCoordinator tells what comes next. A new coordinator waits for its administrator: one of several that starts without their addresses would begin a farm
// of its own.
const sayCoordinator = `if [ -z "$upgrade" ]; then
	echo "Overcrank: look through /etc/overcrank/coordinator.yaml, then start the coordinator: systemctl enable --now overcrank-coordinator"
fi`

// sayAgent tells what is missing.
const sayAgent = `if [ ! -e /etc/overcrank/agent.yaml ]; then
	echo "Overcrank: this machine knows no farm yet. Type, with an invitation of the farm:"
	echo "    overcrank-agent configure --server https://FARM --join TOKEN && systemctl restart overcrank-agent"
fi`

// info describes the package to nfpm.
func (p pkg) info(in Input, work, programs, arch, format string) *nfpm.Info {
	contents := append(p.contents(in, work, programs),
		file(filepath.Join(work, p.service+".service"), "/usr/lib/systemd/system/"+p.service+".service", 0o644),
	)
	if in.Licences != "" {
		contents = append(contents, folder(path.Join("/usr/share/doc", p.name)), file(in.Licences, path.Join("/usr/share/doc", p.name, "licences.txt"), 0o644))
	}
	accounts := map[string]string{"deb": "passwd", "rpm": "shadow-utils"}[format] // has useradd
	info := describe(in, p.name, arch, format)
	info.Description = p.summary + "\n" + p.description
	info.Depends, info.Recommends, info.Suggests = append([]string{accounts}, p.depends[format]...), p.recommends[format], p.suggests[format]
	info.Contents = contents
	info.Scripts = nfpm.Scripts{
		PostInstall: filepath.Join(work, "after-install.sh"),
		PreRemove:   filepath.Join(work, "before-remove.sh"),
		PostRemove:  filepath.Join(work, "after-remove.sh"),
	}
	info.RPM.Summary = p.summary
	return info
}

// describe says what all packages say alike.
func describe(in Input, name, arch, format string) *nfpm.Info {
	return &nfpm.Info{
		Name: name, Arch: arch, Platform: "linux", Version: in.Version.Linux(), VersionSchema: "none", Release: release(format),
		Section: "graphics", Priority: "optional", Maintainer: "Overcrank <overcrank@localhost>", Vendor: "Overcrank", License: "Apache-2.0",
		MTime: in.Version.Time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			RPM: nfpm.RPM{BuildHost: "localhost", Compression: "zstd"},
			Deb: nfpm.Deb{Compression: "zstd"},
		},
	}
}

// release is the number of the package within its version, which rpm asks for.
func release(format string) string {
	if format == "rpm" {
		return "1"
	}
	return ""
}

func file(from, to string, mode fs.FileMode) *files.Content {
	return &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: mode}}
}

// folder is one of the package's own, which goes with it: rpm leaves those that no package has.
func folder(path string) *files.Content {
	return &files.Content{Destination: path, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Mode: 0o755}}
}

// config is a file that people change: upgrades keep what they wrote.
func config(from, to string, mode fs.FileMode) *files.Content {
	return &files.Content{Source: from, Destination: to, Type: files.TypeConfigNoReplace, FileInfo: &files.ContentFileInfo{Mode: mode}}
}

// unpack writes the package's own files, and its scripts, where nfpm reads them.
func (p pkg) unpack(work string) error {
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	entries, err := embedded.ReadDir("files")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		text, err := embedded.ReadFile(path.Join("files", entry.Name()))
		if err != nil {
			return err
		}
		if path.Ext(entry.Name()) == ".sh" {
			if text, err = p.script(entry.Name(), text); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(work, entry.Name()), text, 0o644); err != nil {
			return err
		}
	}
	for _, name := range []string{units.AgentService, units.Environment, units.Tray} {
		if err := os.WriteFile(filepath.Join(work, name), units.Text(name), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// script fills a script in for this package.
func (p pkg) script(name string, text []byte) ([]byte, error) {
	prepare := ""
	if p.prepare != "" {
		own, err := embedded.ReadFile(path.Join("files", p.prepare))
		if err != nil {
			return nil, err
		}
		prepare = string(own)
	}
	filled, err := template.New(name).Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	var out bytes.Buffer
	err = filled.Execute(&out, map[string]any{
		"Package": p.name, "Service": p.service, "AtOnce": p.atOnce, "Prepare": prepare, "Say": p.say, "Data": p.data, "Files": p.leftover,
	})
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", name, err)
	}
	return out.Bytes(), nil
}
