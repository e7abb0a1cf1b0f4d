package farm

import (
	"path"
	"strings"
)

// InRoots says whether a file: address's path lies in one of the folders, as a machine of the system (as Go names it) writes them. Only
// the spelling is looked at: where links lead, the machine alone knows.
func InRoots(system string, roots []string, file string) bool {
	file = rootSpelling(system, file)
	for _, root := range roots {
		root = rootSpelling(system, root)
		if file == root || strings.HasPrefix(file, strings.TrimSuffix(root, "/")+"/") {
			return true
		}
	}
	return false
}

// rootSpelling is a path as paths of the system are compared: with slashes, without steps up, and in small letters where large ones
// name the same file.
func rootSpelling(system, name string) string {
	if system == "windows" {
		name = strings.ReplaceAll(name, `\`, "/")
		// The path of file:///C:/media begins with a slash that does not belong to it.
		if len(name) > 2 && name[0] == '/' && name[2] == ':' {
			name = name[1:]
		}
	}
	if system == "windows" || system == "darwin" {
		name = strings.ToLower(name)
	}
	return path.Clean(name)
}
