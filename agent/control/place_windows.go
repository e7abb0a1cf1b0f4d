package control

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const (
	// folder of the socket, in the data folder: what lies in it may be written by users, and nothing else does.
	folder = "control"
	public = ""
)

// users may read and write what is made in the folder; the system and administrators may do all.
const users = "D:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;OW)(A;OICI;0x1201bf;;;IU)"

// place is where the socket of this process's agent goes: whoever is logged in has to be able to write to it.
func place(dataDir string) (string, error) {
	path := places(dataDir)[0]
	dir := filepath.Dir(path)
	if filepath.Base(dir) != folder {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	rights, err := windows.SecurityDescriptorFromString(users)
	if err != nil {
		return "", fmt.Errorf("reading the rights of users: %w", err)
	}
	list, _, err := rights.DACL()
	if err != nil {
		return "", fmt.Errorf("reading the rights of users: %w", err)
	}
	return path, windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}

// admit has nothing to do: the socket has the rights of its folder.
func admit(string) error { return nil }
