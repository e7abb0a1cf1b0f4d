package workstation

import (
	"io/fs"
	"os"
	"path/filepath"

	"overcrank/cmd/overcrank/folders"
	"overcrank/launcher"
)

// giveTo has nothing to do on Windows: files belong to the folder they are in.
func giveTo(*os.File, string) error { return nil }

// mayLieBeside refuses nothing: Windows has no folder for packages into which everybody may write.
func mayLieBeside(string) func(fs.FileInfo) error { return func(fs.FileInfo) error { return nil } }

// serviceAccount is nil: the service is the system, which is trusted anyway.
func serviceAccount(string) []string { return nil }

// ownFolder is Overcrank's folder in C:\ProgramData, where everybody may make one.
func ownFolder(settings string) []place {
	if settings != folders.Config("agent") {
		return nil
	}
	return []place{{path: filepath.Dir(settings)}}
}

// makePrivate makes a folder, if there is none, that only the system and administrators can open.
func makePrivate(path, _ string) error { return launcher.MakePrivateFolder(path) }
