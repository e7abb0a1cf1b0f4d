package aep

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	maxPathLength = 1024
	maxPathSteps  = 64
	maxStepLength = 240
)

// checkName refuses names that would lead out of the folder, or that mean different files on different systems.
func checkName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: an entry has no name", ErrUnsafe)
	case len(name) > maxPathLength:
		return fmt.Errorf("%w: entry %q… has a name of %d bytes", ErrUnsafe, name[:40], len(name))
	case strings.ContainsRune(name, '\\'):
		return fmt.Errorf("%w: entry %q has a backslash in its name", ErrUnsafe, name)
	case strings.HasPrefix(name, "/"):
		return fmt.Errorf("%w: entry %q has an absolute path", ErrUnsafe, name)
	}
	steps := strings.Split(strings.TrimSuffix(name, "/"), "/")
	if len(steps) > maxPathSteps {
		return fmt.Errorf("%w: entry %q lies %d folders deep", ErrUnsafe, name, len(steps))
	}
	for _, step := range steps {
		if why := badStep(step); why != "" {
			return fmt.Errorf("%w: entry %q %s", ErrUnsafe, name, why)
		}
	}
	return nil
}

// badStep says what is wrong with one step of a path, "" for nothing.
func badStep(step string) string {
	switch {
	case step == "..":
		return "leaves its folder"
	case step == "" || step == ".":
		return "has an empty step in its path"
	case len(step) > maxStepLength:
		return "has a name that is too long"
	case strings.HasSuffix(step, ".") || strings.HasSuffix(step, " "):
		return "has a name that ends in a dot or a space"
	case strings.ContainsAny(step, `<>:"|?*`) || strings.ContainsFunc(step, unicode.IsControl):
		return "has a name that Windows does not allow"
	case isDevice(step):
		return "has a name that Windows reserves for a device"
	}
	return ""
}

// isDevice tells whether Windows takes a name for a device, whatever its extension.
func isDevice(step string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(step), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	if len(base) >= 4 && (strings.HasPrefix(base, "COM") || strings.HasPrefix(base, "LPT")) {
		switch base[3:] {
		case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
			return true
		}
	}
	return false
}
