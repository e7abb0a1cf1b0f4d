package agent

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/agent/film"
	"overcrank/farm"
)

// takeInventory looks at what this machine has. What cannot be found out is left out and said in the log.
func takeInventory(ctx context.Context, cfg Config) farm.Inventory {
	inv := farm.Inventory{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Memory: totalMemory(), Version: cfg.Version,
		Engines: []farm.EngineInfo{{Kind: farm.EngineEmbedded, Version: cfg.Version, Path: cfg.Engine}}, Tags: cfg.Tags, Slots: cfg.Slots,
	}
	inv.Engines = append(inv.Engines, findAfterEffects(ctx, afterEffectsPatterns(runtime.GOOS), probeVersion)...)
	codecs, err := film.Codecs(ctx)
	if err != nil && ctx.Err() == nil {
		cfg.Logger.Warn("this machine cannot write films", "error", err)
	}
	inv.Codecs = codecs
	started := time.Now()
	inv.Fonts = scanFonts(ctx, fontFolders())
	cfg.Logger.Debug("looked for fonts", "found", len(inv.Fonts), "took", time.Since(started))
	return inv
}

// afterEffectsVersions are those of an inventory, newest first.
func afterEffectsVersions(inv farm.Inventory) []string {
	var versions []string
	for _, e := range inv.Engines {
		if e.Kind == farm.EngineAfterEffects {
			versions = append(versions, e.Version)
		}
	}
	return versions
}

// afterEffectsPatterns are where installers put aerender.
func afterEffectsPatterns(goos string) []string {
	switch goos {
	case "windows":
		return []string{`C:\Program Files\Adobe\Adobe After Effects *\Support Files\aerender.exe`}
	case "darwin":
		return []string{"/Applications/Adobe After Effects */aerender"}
	}
	return nil
}

// findAfterEffects finds every installed version, newest first. probe asks a program for its version.
func findAfterEffects(ctx context.Context, patterns []string, probe func(ctx context.Context, path string) string) []farm.EngineInfo {
	var found []farm.EngineInfo
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			continue // only a malformed pattern fails
		}
		for _, path := range paths {
			version := probe(ctx, path)
			if version == "" {
				version = versionOfFolder(path)
			}
			if version != "" {
				found = append(found, farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: version, Path: path})
			}
		}
	}
	slices.SortFunc(found, func(a, b farm.EngineInfo) int { return compareVersions(b.Version, a.Version) })
	return found
}

var versionLine = regexp.MustCompile(`aerender version (\d+(?:\.\d+)*)`)

// probeVersion reads the first line of "aerender -version", such as "aerender version 25.6x101".
func probeVersion(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-version")
	cmd.WaitDelay = time.Second
	// Some versions print it and exit with an error.
	out, _ := cmd.Output()
	if m := versionLine.FindSubmatch(out); m != nil {
		return string(m[1])
	}
	return ""
}

var yearOfFolder = regexp.MustCompile(`After Effects (?:CC )?20(\d\d)`)

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

func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if d := part(as, i) - part(bs, i); d != 0 {
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

// engineMajor is the major version behind a name of the public interface: ae2025 is 25. ok is false for other names.
func engineMajor(name string) (major string, ok bool) {
	year, found := strings.CutPrefix(name, "ae20")
	return year, found && len(year) == 2
}

// chooseEngine picks the engine for a job: the one it asks for; for a preview the embedded one, which is free at once;
// else the newest After Effects, and the embedded engine where there is none.
func chooseEngine(inv farm.Inventory, wanted string, preview bool) (farm.EngineInfo, bool) {
	major, named := engineMajor(wanted)
	for _, e := range inv.Engines {
		if e.Kind != farm.EngineAfterEffects {
			continue
		}
		if named && strings.SplitN(e.Version, ".", 2)[0] == major || !named && !preview {
			return e, true
		}
	}
	if named {
		return farm.EngineInfo{}, false
	}
	for _, e := range inv.Engines {
		if e.Kind == farm.EngineEmbedded {
			return e, true
		}
	}
	return farm.EngineInfo{}, false
}
