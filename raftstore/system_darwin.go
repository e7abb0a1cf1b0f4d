package raftstore

import "golang.org/x/sys/unix"

// bootID is the same until the machine is restarted; "" when it cannot be read.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// diskFree is how many bytes an ordinary process may still write to the disk of folder.
func diskFree(folder string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil
}
