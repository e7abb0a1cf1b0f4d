package commandline

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
)

// version is the stamped version, or what the Go toolchain knows of an unstamped build.
func (p Program) version() string {
	if p.Version != "" {
		return p.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// Version prints the version of the program.
type Version struct {
	JSON bool `help:"Print JSON." name:"json"`
}

// Run prints it.
func (v Version) Run(out *terminal.Output, program process.Program) error {
	if v.JSON {
		return json.NewEncoder(out).Encode(map[string]string{
			"version": program.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(out, "%s %s (%s, %s/%s)\n", program.Name, program.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
