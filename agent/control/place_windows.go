package control

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const (
	// folder of the socket, below the data folder. Users may write in it; nothing else is kept there.
	folder = "control"
	public = ""
)

// users are the access rights of the folder, in SDDL: users may read and write, the system and administrators have full access.
const users = "D:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;OW)(A;OICI;0x1201bf;;;IU)"

// newSocketPath is where this process makes its socket: in a folder that every logged-in user may write to.
func newSocketPath(dataDir, socket string) (string, error) {
	path := socketPaths(dataDir, socket)[0]
	dir := filepath.Dir(path)
	if filepath.Base(dir) != folder {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	rights, err := windows.SecurityDescriptorFromString(users)
	if err != nil {
		return "", fmt.Errorf("read the access rights of users: %w", err)
	}
	list, _, err := rights.DACL()
	if err != nil {
		return "", fmt.Errorf("read the access rights of users: %w", err)
	}
	return path, windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}

// admit does nothing: the socket inherits the access rights of its folder.
func admit(string) error { return nil }
