package raftstore

import "golang.org/x/sys/windows"

// bootID is "": Windows has no id of its own for one run of the machine, so only a clean stop keeps the state file.
func bootID() string { return "" }

// diskFree is how many bytes this process may still write to the disk of folder.
func diskFree(folder string) (int64, error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, nil, nil); err != nil {
		return 0, err
	}
	return int64(free), nil
}
