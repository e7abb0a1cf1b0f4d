package encode

import "golang.org/x/sys/windows"

// errNoSpace is the system's error for a full disk.
const errNoSpace = windows.ERROR_DISK_FULL
