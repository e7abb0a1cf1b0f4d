package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is what a program is linked from: a Go module, or the standard library.
type module struct {
	path, version string
	dir           string   // of its sources
	licences      []string // SPDX identifiers, once they were read
}

// standardLibrary is what the Go distribution is called among modules, as in Go's vulnerability database.
const standardLibrary = "stdlib"

// linked is what each program was linked from, by the program's name. Ours is left out.
func (r release) linked(ctx context.Context, s system) (map[string][]module, error) {
	found := map[string][]module{}
	for _, t := range s.targets {
		if !r.wants(s, t) {
			continue
		}
		for _, program := range s.programs {
			info, err := buildinfo.ReadFile(r.program(t, program))
			if err != nil {
				return nil, fmt.Errorf("reading what %s was linked from: %w", program, err)
			}
			all := append(found[program], module{path: standardLibrary, version: strings.TrimPrefix(info.GoVersion, "go")})
			for _, dep := range info.Deps {
				if dep.Replace != nil {
					return nil, fmt.Errorf("%s is linked with %s in the place of %s: nobody knows its licence", program, dep.Replace.Path, dep.Path)
				}
				all = append(all, module{path: dep.Path, version: dep.Version})
			}
			found[program] = unique(all)
		}
	}
	return found, r.locate(ctx, found)
}

// unique sorts modules by path and leaves each in once.
func unique(all []module) []module {
	slices.SortFunc(all, func(a, b module) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.version, b.version))
	})
	return slices.CompactFunc(all, func(a, b module) bool { return a.path == b.path && a.version == b.version })
}

// every is each module that any of the programs is linked from.
func every(linked map[string][]module) []module {
	var all []module
	for _, program := range slices.Sorted(maps.Keys(linked)) {
		all = append(all, linked[program]...)
	}
	return unique(all)
}

// locate finds the sources of the modules, which the toolchain has fetched to compile them.
func (r release) locate(ctx context.Context, linked map[string][]module) error {
	args := []string{"list", "-m", "-json=Path,Version,Dir"}
	for _, m := range every(linked) {
		if m.path != standardLibrary {
			args = append(args, m.path)
		}
	}
	out, err := r.goTool(ctx, args)
	if err != nil {
		return fmt.Errorf("finding the sources of the modules: %w", err)
	}
	goroot, err := r.goTool(ctx, []string{"env", "GOROOT"})
	if err != nil {
		return fmt.Errorf("finding the sources of the standard library: %w", err)
	}
	dirs := map[string]string{standardLibrary: strings.TrimSpace(goroot)}
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var m struct{ Path, Version, Dir string }
		if err := dec.Decode(&m); err != nil {
			return fmt.Errorf("reading where the modules are: %w", err)
		}
		dirs[m.Path] = m.Dir
	}
	for _, modules := range linked {
		for i := range modules {
			if modules[i].dir = dirs[modules[i].path]; modules[i].dir == "" {
				return fmt.Errorf("the sources of %s are not on this machine: go mod download", modules[i].path)
			}
		}
	}
	return nil
}

// folders are those of the packages that a system's programs are linked from.
func (r release) folders(ctx context.Context, s system) ([]string, error) {
	args := []string{"list", "-deps", "-f", "{{.Dir}}"}
	for _, program := range s.programs {
		args = append(args, "./cmd/"+program)
	}
	var all []string
	for _, t := range s.targets {
		if !r.wants(s, t) {
			continue
		}
		out, err := r.goTool(ctx, args, t.environment()...)
		if err != nil {
			return nil, fmt.Errorf("listing the packages of the programs: %w", err)
		}
		all = append(all, strings.Fields(out)...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// goTool runs a command of the Go toolchain on the farm's own module.
func (r release) goTool(ctx context.Context, args []string, environment ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), environment...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}

// program is where a program was compiled to.
func (r release) program(t target, name string) string {
	if t.system == "windows" {
		name += ".exe"
	}
	return filepath.Join(r.programs, t.folder(), name)
}

// wants tells whether a target's programs are asked for: one processor can be chosen for Linux.
func (r release) wants(s system, t target) bool {
	return s.name != "linux" || r.arch == "" || t.arch == r.arch
}
