//go:build unix

package launcher

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// inspect fails with an *UntrustedError if another account has access to what is at path. It does not follow a link.
func inspect(path string, to access, accounts []string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	if uid := int(owner.Uid); uid != 0 && uid != os.Geteuid() && !slices.Contains(accounts, strconv.Itoa(uid)) {
		return &UntrustedError{Path: path, Reason: fmt.Sprintf("it belongs to account %d", uid)}
	}
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0: // whose rights mean nothing
	case to == toReplace && mode&fs.ModeSticky != 0: // in which accounts can move and remove their own entries only
	case mode.Perm()&0o002 != 0:
		return &UntrustedError{Path: path, Reason: "every account may write to it"}
	case mode.Perm()&0o020 != 0 && !slices.Contains(administrators, int(owner.Gid)):
		return &UntrustedError{Path: path, Reason: fmt.Sprintf("group %d may write to it", owner.Gid)}
	}
	return nil
}

// MakeFolder makes a folder that other accounts may read.
func MakeFolder(path string) error { return os.MkdirAll(path, 0o755) }
