package windows

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
)

// compile has wixl make a package of its source. wixl drops what it does not know and still succeeds, so whatever it says is an error. "Message: unimplemented"
// is not: wixl itself prints that about features, which are not advertised (Advertise="no"), and nothing is missing. The files that the source names lie in
// the folder work.
func compile(ctx context.Context, work string, variables map[string]string) error {
	args := []string{"-a", "x64", "-o", unsignedName}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		args = append(args, "-D", name+"="+variables[name])
	}
	said, err := runIn(ctx, work, "wixl", append(args, sourceName)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(line, "Message: unimplemented") {
			return fmt.Errorf("wixl does not understand all of the package's source: %s", line)
		}
	}
	return nil
}

// run starts a tool and returns what it said; both streams, since these tools write warnings to either.
func run(ctx context.Context, tool string, args ...string) (string, error) {
	return runIn(ctx, "", tool, args...)
}

// runIn starts a tool in a folder, since wixl takes no absolute paths.
func runIn(ctx context.Context, folder, tool string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Environ(), "LC_ALL=C.UTF-8", "G_MESSAGES_DEBUG=")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is missing: scripts/require msi installs it", tool)
	}
	if err != nil {
		return said.String(), fmt.Errorf("%s: %w: %s", tool, err, strings.TrimSpace(said.String()))
	}
	return said.String(), nil
}
