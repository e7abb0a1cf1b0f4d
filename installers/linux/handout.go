package linux

import (
	"context"
	"errors"
	"path"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/files"
)

// handedOut is the folder in which coordinators look for packages of the agent; the default of --package-dir.
const handedOut = "/usr/share/overcrank/packages"

// HandOut makes overcrank-packages as .deb and .rpm and returns their paths. It brings coordinators the agent's packages for all systems, which they hand out
// to machines. packages are the paths of those.
func HandOut(ctx context.Context, in Input, packages []string) ([]string, error) {
	if len(packages) == 0 {
		return nil, errors.New("there are no packages of the agent to hand out")
	}
	var made []string
	for _, format := range formats {
		if err := ctx.Err(); err != nil {
			return made, err
		}
		path, err := pack(handOutInfo(in, packages, format), in.Dist, format)
		if err != nil {
			return made, err
		}
		made = append(made, path)
	}
	return made, nil
}

func handOutInfo(in Input, packages []string, format string) *nfpm.Info {
	const name, summary = "overcrank-packages", "Render farm for Adobe After Effects: packages of the agent, for coordinators to hand out"
	contents := files.Contents{folder(path.Dir(handedOut)), folder(handedOut)}
	for _, p := range packages {
		contents = append(contents, file(p, path.Join(handedOut, filepath.Base(p)), 0o644))
	}
	if in.Licences != "" {
		contents = append(contents, folder(path.Join("/usr/share/doc", name)), file(in.Licences, path.Join("/usr/share/doc", name, "licences.txt"), 0o644))
	}
	info := describe(in, name, "all", format)
	info.Description = summary + "\nCoordinators of the package overcrank find the agent's packages for Windows, macOS and Linux here,\nand offer them to whoever adds a machine."
	info.Recommends, info.Contents = []string{"overcrank"}, contents
	info.RPM.Summary = summary
	// Packages are compressed already: a second time costs minutes and saves nothing.
	info.Deb.Compression, info.RPM.Compression = "none", "gzip:1"
	return info
}
