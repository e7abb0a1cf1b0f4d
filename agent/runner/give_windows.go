package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/windows"
)

const (
	// theirs are the rights of the system, of administrators and of one person on what is given to them, in SDDL, and ours those on what is not.
	// Whoever owns a file could change its rights, so owners have those of the person (OW) and no more.
	theirs = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301ff;;;OW)(A;OICI;0x1301ff;;;%s)"
	ours   = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1;;;OW)"
)

// closeOff removes the rights that a folder inherits from its parent, which people may read.
func closeOff(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() { // a junction, which anybody may make, would have the rights of another folder changed
		return fmt.Errorf("%s is a link: remove it, or choose another data folder", dir)
	}
	return setRights(dir, ours)
}

// give changes the rights on the folders. That people may pass through folders that they cannot read is a right that Windows gives everybody
// (SeChangeNotifyPrivilege).
func give(to *link, dir string, folders []string) (takeBack func() error, err error) {
	// A folder that is not there, as that of assets which are in the project, needs no rights.
	folders = slices.DeleteFunc(slices.Clone(folders), func(folder string) bool {
		_, err := os.Lstat(filepath.Join(dir, folder))
		return errors.Is(err, fs.ErrNotExist)
	})
	takeBack = sync.OnceValue(func() error {
		var err error
		for _, folder := range folders {
			err = errors.Join(err, setRights(filepath.Join(dir, folder), ours))
		}
		root, openErr := os.OpenRoot(dir)
		if openErr != nil {
			return errors.Join(err, openErr)
		}
		for _, folder := range folders {
			err = errors.Join(err, each(root, folder, func(path string, info fs.FileInfo) error {
				if info.IsDir() || info.Mode().IsRegular() {
					return nil
				}
				return root.Remove(path) // a link, which could lead anywhere
			}))
		}
		return errors.Join(err, root.Close())
	})
	for _, folder := range folders {
		err = errors.Join(err, setRights(filepath.Join(dir, folder), fmt.Sprintf(theirs, to.person.ID)))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("giving files to who is signed in: %w", err), takeBack())
	}
	return takeBack, nil
}

// setRights sets the rights on a folder. Windows hands them on to what is in it.
func setRights(path, sddl string) error {
	rights, err := windows.SecurityDescriptorFromString(sddl)
	if err != nil {
		return err
	}
	list, _, err := rights.DACL()
	if err != nil {
		return err
	}
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	return windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, what, nil, nil, list, nil)
}

// linked is false: on Windows only accounts that may write to a file can link it elsewhere.
func linked(fs.FileInfo) bool { return false }
