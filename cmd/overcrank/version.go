package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"overcrank/cmd/overcrank/terminal"
)

// version is stamped by the linker: -X main.version=…
var version = ""

// versionString is the stamped version, or what the Go toolchain knows of an unstamped build.
func versionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

type versionCommand struct {
	JSON bool `help:"Print JSON." name:"json"`
}

func (v versionCommand) Run(out *terminal.Output) error {
	if v.JSON {
		return json.NewEncoder(out).Encode(map[string]string{
			"version": versionString(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(out, "overcrank %s (%s, %s/%s)\n", versionString(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
