package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/installers/linux"
	"overcrank/installers/macos"
	"overcrank/installers/version"
	"overcrank/installers/windows"
)

// release is one run: where the sources are, and where what is made of them goes.
type release struct {
	root     string
	dist     string
	version  version.Version
	programs string // <system>-<arch>/<program>
	licences string // file with the licences of all that the programs are made of
	arch     string // of Linux packages; "" for all
	keys     keys   // of releases for updates
}

// system is one that packages are made for.
type system struct {
	name     string
	targets  []target
	programs []string // below cmd
	build    func(context.Context, release) ([]string, error)
}

// target is what the Go toolchain compiles for.
type target struct{ system, arch string }

// folder is where the programs of a target lie within the folder of programs.
func (t target) folder() string { return t.system + "-" + t.arch }

// systems are all that there are packages for; --for chooses from them.
var systems = []system{
	{
		name:     "linux",
		targets:  []target{{"linux", "amd64"}, {"linux", "arm64"}},
		programs: []string{"overcrank", "overcrank-agent", "overcrank-launcher"},
		build: func(ctx context.Context, r release) ([]string, error) {
			return linux.Build(ctx, r.linux())
		},
	},
	{
		name:     "windows",
		targets:  []target{{"windows", "amd64"}},
		programs: []string{"overcrank-agent", "overcrank-launcher"},
		build: func(ctx context.Context, r release) ([]string, error) {
			signing, err := windows.SigningFrom(os.Getenv)
			if err != nil {
				return nil, err
			}
			return windows.Build(ctx, windows.Input{Dist: r.dist, Version: r.version, Programs: r.programs, Licences: r.licences, Release: r.updatesFolder(), Signing: signing})
		},
	},
	{
		name:     "macos",
		targets:  []target{{"darwin", "amd64"}, {"darwin", "arm64"}},
		programs: []string{"overcrank-agent", "overcrank-launcher"},
		build: func(ctx context.Context, r release) ([]string, error) {
			signing, err := macos.SigningFrom(os.Getenv)
			if err != nil {
				return nil, err
			}
			return macos.Build(ctx, macos.Input{Dist: r.dist, Version: r.version, Programs: r.programs, Licences: r.licences, Release: r.updatesFolder(), Signing: signing})
		},
	},
}

// make compiles the programs, has the packages made and returns their paths.
func (r release) make(ctx context.Context, chosen []system) ([]string, error) {
	var made []string
	if err := r.makeFolder(); err != nil {
		return nil, fmt.Errorf("making the folder of the release: %w", err)
	}
	for _, s := range chosen {
		for _, t := range s.targets {
			if !r.wants(s, t) {
				continue
			}
			for _, program := range s.programs {
				if err := r.compile(ctx, t, program); err != nil {
					return made, err
				}
			}
			if t.system == "linux" {
				if err := r.place(t); err != nil {
					return made, err
				}
			}
		}
		described, err := r.describe(ctx, s)
		if err != nil {
			return made, err
		}
		made = append(made, described...)
		r.licences = described[0]
		packages, err := s.build(ctx, r)
		if err != nil {
			return made, fmt.Errorf("making the packages for %s: %w", s.name, err)
		}
		made = append(made, packages...)
	}
	if len(chosen) == len(systems) {
		packages, err := linux.HandOut(ctx, r.linux(), agents(made))
		if err != nil {
			return made, fmt.Errorf("making the package that coordinators hand packages out of: %w", err)
		}
		made = append(made, packages...)
	}
	slices.Sort(made)
	if err := r.clean(); err != nil {
		return made, err
	}
	if err := r.writeChecksums(); err != nil {
		return made, fmt.Errorf("writing the checksums: %w", err)
	}
	return append(made, filepath.Join(r.dist, checksums)), nil
}

// linux is what packages for Linux are made of.
func (r release) linux() linux.Input {
	return linux.Input{Dist: r.dist, Version: r.version, Programs: r.programs, Licences: r.licences}
}

// agents are those of a release's files that machines are installed with.
func agents(made []string) (packages []string) {
	for _, path := range made {
		if strings.HasPrefix(filepath.Base(path), "overcrank-agent") && slices.Contains([]string{".deb", ".rpm", ".msi", ".pkg"}, filepath.Ext(path)) {
			packages = append(packages, path)
		}
	}
	return packages
}

// describe writes what the programs of a system are made of, the licences first, and returns the paths.
func (r release) describe(ctx context.Context, s system) ([]string, error) {
	linked, err := r.linked(ctx, s)
	if err != nil {
		return nil, err
	}
	modules := every(linked)
	base := filepath.Join(r.dist, "overcrank-"+r.version.String()+"-"+s.name)
	licences, materials := base+"-licences.txt", base+".cdx.json"
	packages, err := r.folders(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := r.writeLicences(licences, modules, packages); err != nil {
		return nil, err
	}
	return []string{licences, materials}, r.writeMaterials(materials, s, linked, modules)
}

// clean deletes the packages of other versions from the folder: what is there is one release.
func (r release) clean() error {
	for _, pattern := range []string{"*.deb", "*.rpm", "*.msi", "*.mst", "*.pkg", "*.mobileconfig", "*-licences.txt", "*.cdx.json"} {
		there, err := filepath.Glob(filepath.Join(r.dist, pattern))
		if err != nil {
			return err
		}
		for _, path := range there {
			name := filepath.Base(path)
			if strings.Contains(name, r.version.String()) || strings.Contains(name, r.version.Linux()) || strings.Contains(name, r.version.Numeric()) {
				continue
			}
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("deleting a package of another version: %w", err)
			}
		}
	}
	return nil
}
