// Package linux makes the packages for Linux: .deb and .rpm, one for coordinators and one for agents, with their systemd services.
package linux

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format

	"overcrank/installers/version"
)

// Input is what packages are made of.
type Input struct {
	Dist     string // folder to write them to
	Version  version.Version
	Programs string // folder with a folder of programs for each processor: linux-amd64/overcrank and so on
	Licences string // file with the licences of everything that the programs are made of
}

// architectures are those that packages are made for, where there are programs for them, by Go's names.
var architectures = []string{"amd64", "arm64"}

// formats are the kinds of packages, by the ends of their names.
var formats = []string{"deb", "rpm"}

//go:embed files
var embedded embed.FS

// Build makes the packages for each processor that there are programs for, and returns their paths. The same input makes the same bytes.
func Build(ctx context.Context, in Input) ([]string, error) {
	work, err := os.MkdirTemp("", "overcrank-linux-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the packages' files: %w", err)
	}
	defer os.RemoveAll(work)
	var made []string
	for _, arch := range architectures {
		programs := filepath.Join(in.Programs, "linux-"+arch)
		if _, err := os.Stat(programs); err != nil {
			continue
		}
		for _, p := range packages {
			for _, format := range formats {
				if err := ctx.Err(); err != nil {
					return made, err
				}
				path, err := p.write(in, filepath.Join(work, p.name), programs, arch, format)
				if err != nil {
					return made, fmt.Errorf("making %s as .%s for %s: %w", p.name, format, arch, err)
				}
				made = append(made, path)
			}
		}
	}
	if len(made) == 0 {
		return nil, fmt.Errorf("there are no programs for Linux in %s", in.Programs)
	}
	return made, nil
}

// write makes one package.
func (p pkg) write(in Input, work, programs, arch, format string) (string, error) {
	if err := p.unpack(work); err != nil {
		return "", fmt.Errorf("writing its files: %w", err)
	}
	return pack(p.info(in, work, programs, arch, format), in.Dist, format)
}

// pack writes a package into a folder and returns its path.
func pack(info *nfpm.Info, dist, format string) (string, error) {
	packager, err := nfpm.Get(format)
	if err != nil {
		return "", err
	}
	info = nfpm.WithDefaults(info)
	path := filepath.Join(dist, packager.ConventionalFileName(info))
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	if err := packager.Package(info, out); err != nil {
		out.Close()
		os.Remove(path)
		return "", err
	}
	return path, out.Close()
}
