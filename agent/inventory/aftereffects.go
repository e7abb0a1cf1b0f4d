package inventory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcrank/farm"
)

// build is an installed After Effects.
type build struct {
	farm.EngineInfo
	folder string // that aerender and Plug-ins lie in, for this program
}

// AfterEffects finds every After Effects of the machine, releases before betas and newest first.
func (s System) AfterEffects(ctx context.Context) []farm.EngineInfo {
	var found []farm.EngineInfo
	for _, b := range s.builds(ctx, openSeen("")) {
		found = append(found, b.EngineInfo)
	}
	return found
}

// AfterEffectsFolders are the folders with an After Effects of the machine: those that hold its scripts.
func (s System) AfterEffectsFolders(ctx context.Context) []string {
	return slices.DeleteFunc(s.buildFolders(ctx), func(folder string) bool {
		info, err := os.Stat(filepath.Join(folder, "Scripts"))
		return err != nil || !info.IsDir()
	})
}

// builds finds every After Effects of the machine, releases before betas and newest first.
func (s System) builds(ctx context.Context, memory *seen) []build {
	var found []build
	for _, folder := range s.buildFolders(ctx) {
		b := build{EngineInfo: farm.EngineInfo{Kind: farm.EngineAfterEffects, Path: filepath.Join(folder, s.program("aerender"))}, folder: folder}
		info, err := os.Stat(b.Path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		b.Beta = strings.Contains(strings.ToLower(folder), "(beta)")
		if b.Version = s.versionOf(ctx, b, info, memory); b.Version != "" {
			found = append(found, b)
		}
	}
	slices.SortStableFunc(found, func(a, b build) int {
		if a.Beta != b.Beta {
			return cmp.Compare(boolean(a.Beta), boolean(b.Beta))
		}
		return CompareVersions(b.Version, a.Version)
	})
	return found
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// program is the file name of a program.
func (s System) program(name string) string {
	if s.OS == "windows" {
		return name + ".exe"
	}
	return name
}

// buildFolders are the folders that may hold an After Effects, each once: where installers put it, and on Windows also where the
// registry says that one was put.
func (s System) buildFolders(ctx context.Context) []string {
	var folders []string
	add := func(folder string) {
		if folder != "" && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	switch s.OS {
	case "windows":
		for _, files := range []string{s.Env("ProgramW6432"), s.Env("ProgramFiles"), `C:\Program Files`} {
			if files == "" {
				continue
			}
			for _, name := range s.named(s.join(files, "Adobe"), "Adobe After Effects") {
				add(s.at(s.join(files, "Adobe", name, "Support Files")))
			}
		}
		for _, key := range s.registry(ctx, `HKLM\SOFTWARE\Adobe\After Effects`, below) {
			if path := strings.TrimRight(key.values["InstallPath"], `\`); path != "" {
				add(s.at(path))
			}
		}
	case "darwin":
		for _, apps := range []string{"/Applications", s.join(s.Home, "Applications")} {
			if apps == "" {
				continue
			}
			for _, name := range s.named(apps, "Adobe After Effects") {
				add(s.at(s.join(apps, name)))
			}
		}
	}
	for _, folder := range standIns() {
		add(folder)
	}
	return folders
}

// named are the names in a folder that begin with prefix.
func (s System) named(folder, prefix string) []string {
	entries, err := os.ReadDir(s.at(folder))
	if err != nil {
		return nil // a folder that is not there holds none
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			names = append(names, e.Name())
		}
	}
	return names
}

// versionOf is the version that the program's own files tell; else what aerender says of itself; else what its folder is called.
func (s System) versionOf(ctx context.Context, b build, info os.FileInfo, memory *seen) string {
	var version string
	switch s.OS {
	case "windows":
		version = fileVersion(filepath.Join(b.folder, "AfterFX.exe"))
	case "darwin":
		version = bundleVersion(filepath.Join(b.folder, filepath.Base(b.folder)+".app"))
	}
	if version == "" {
		version = memory.look(b.Path, info, func(path string, found *sight) { found.Version = s.askVersion(ctx, path) }).Version
		if version == "" {
			delete(memory.files, b.Path) // it may answer next time
		}
	}
	if version == "" {
		version = versionOfFolder(b.folder)
	}
	return version
}

var (
	plistVersion  = regexp.MustCompile(`<key>CFBundleShortVersionString</key>\s*<string>(\d+(?:\.\d+){0,3})`)
	versionLine   = regexp.MustCompile(`aerender version (\d+(?:\.\d+)*)`)
	yearOfFolder  = regexp.MustCompile(`After Effects (?:CC )?20(\d\d)`)
	maxInfo       = 1 << 20
	fixedFileInfo = []byte{0xBD, 0x04, 0xEF, 0xFE} // VS_FIXEDFILEINFO.dwSignature
)

// bundleVersion is the version of a macOS application.
func bundleVersion(app string) string {
	info, err := os.ReadFile(filepath.Join(app, "Contents", "Info.plist"))
	if err != nil || len(info) > maxInfo {
		return ""
	}
	if m := plistVersion.FindSubmatch(info); m != nil {
		return string(m[1])
	}
	return ""
}

// fileVersion is the version of a Windows program, of which it has four parts; the last one counts builds.
func fileVersion(program string) string {
	resources, err := readResources(program, func(kind resourceName) bool { return kind.id == rtVersion })
	if err != nil {
		return ""
	}
	for _, r := range resources {
		if at := bytes.Index(r, fixedFileInfo); at >= 0 && at+16 <= len(r) {
			high, low := binary.LittleEndian.Uint32(r[at+8:]), binary.LittleEndian.Uint32(r[at+12:])
			return fmt.Sprintf("%d.%d.%d", high>>16, high&0xFFFF, low>>16)
		}
	}
	return ""
}

// askVersion reads the first line of "aerender -version", such as "aerender version 25.6x101".
func (s System) askVersion(ctx context.Context, path string) string {
	out, _ := s.Ask(ctx, path, "-version") // some versions print it and exit with an error
	if m := versionLine.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	return ""
}

// versionOfFolder is the major version that a folder's year tells, for the years in which they agree.
func versionOfFolder(path string) string {
	m := yearOfFolder.FindStringSubmatch(path)
	if m == nil {
		return ""
	}
	year, err := strconv.Atoi(m[1])
	if err != nil || year < 22 {
		return ""
	}
	return strconv.Itoa(year) + ".0"
}

// CompareVersions orders versions such as 25.6 and 26.0.2.
func CompareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if d := cmp.Compare(part(as, i), part(bs, i)); d != 0 {
			return d
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}
