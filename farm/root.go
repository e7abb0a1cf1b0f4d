package farm

import (
	"path"
	"strings"
)

// InRoots says whether the path of a file: address lies in one of the folders, both spelled as on a machine of the
// system (as Go names it). Only the spelling is compared: where links lead, only the machine knows.
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

// rootSpelling is a path in the form in which paths of the system are compared: with slashes, without steps up, and in
// lower case where the system ignores case.
func rootSpelling(system, name string) string {
	if system == "windows" {
		name = strings.ReplaceAll(name, `\`, "/")
		// In file:///C:/media the path begins with a slash that is not part of it.
		if len(name) > 2 && name[0] == '/' && name[2] == ':' {
			name = name[1:]
		}
	}
	if system == "windows" || system == "darwin" {
		name = strings.ToLower(name)
	}
	return path.Clean(name)
}
