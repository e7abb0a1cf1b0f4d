// Package dom runs ExtendScript on a project: After Effects' object model, simulated in goja.
package dom

import (
	"context"
	"io"
	"time"

	"overcrank/aep"
	"overcrank/engine/footage"
)

// Options bound what a script may do.
type Options struct {
	Folder string                                                       // the only folder whose files a script may touch
	Time   time.Duration                                                // 0 means 60 s
	Memory int64                                                        // bytes, 0 means 512 MiB
	Output io.Writer                                                    // of $.writeln and alert
	Probe  func(ctx context.Context, path string) (footage.Info, error) // looks into imported files
}

// Run runs script (named for error messages) on p and changes p. A throw of the script is a *ScriptError.
func Run(ctx context.Context, p *aep.Project, name, script string, opt Options) error {
	panic("skeleton: helper B3")
}

// ScriptError is what a script threw.
type ScriptError struct {
	Message string
	Line    int
	File    string
}

func (e *ScriptError) Error() string { return e.Message }
