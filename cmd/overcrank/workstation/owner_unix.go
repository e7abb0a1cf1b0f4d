//go:build unix

package workstation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// giveTo makes a file that of the owner of a folder. Only root can, and only root has to.
func giveTo(file *os.File, folder string) error {
	info, err := os.Stat(folder)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if !known || os.Geteuid() != 0 {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

// serviceAccount is the number of the account that the agent's service has, which is that of the launcher's state folder; nil where it is root.
func serviceAccount(launcherState string) []string {
	info, err := os.Stat(launcherState)
	if err != nil {
		return nil
	}
	uid := int(info.Sys().(*syscall.Stat_t).Uid)
	if uid == 0 {
		return nil
	}
	return []string{strconv.Itoa(uid)}
}

// ownFolder is empty: on Linux and macOS only root can make the folders in which those of the agent lie.
func ownFolder(string) []place { return nil }

// makePrivate makes a folder, if there is none, that only the service's account can enter. Only root can give it to that account, and only root has to.
func makePrivate(path, launcherState string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	service, err := os.Stat(launcherState)
	if errors.Is(err, fs.ErrNotExist) || os.Geteuid() != 0 {
		return nil
	} else if err != nil {
		return err
	}
	made, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if owner := made.Sys().(*syscall.Stat_t); owner.Uid != 0 || !made.IsDir() {
		return nil
	}
	owner := service.Sys().(*syscall.Stat_t)
	return os.Lchown(path, int(owner.Uid), int(owner.Gid))
}

// mayLieBeside refuses a file that another account has put beside a package where everybody may write, such as in /tmp: an installer runs as root.
func mayLieBeside(packageFile string) func(fs.FileInfo) error {
	return func(found fs.FileInfo) error {
		folder, err := os.Stat(filepath.Dir(packageFile))
		if err != nil || folder.Mode().Perm()&0o002 == 0 {
			return err
		}
		owner := func(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }
		pack, err := os.Stat(packageFile)
		if uid := owner(found); uid == 0 || uid == os.Geteuid() || err == nil && uid == owner(pack) {
			return nil
		}
		return errors.New("another account than that of the package has put it there; move both into a folder of your own")
	}
}
