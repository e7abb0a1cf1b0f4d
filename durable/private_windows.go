package durable

import (
	"errors"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// privateRights are those of a private file, in SDDL: full access for the system, administrators and the owner.
const privateRights = "D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;OW)"

// OpenPrivate opens a file for reading and writing, and makes it if there is none. Only its owner and the system's administrators can open it: who
// can read a file can lock it, and keep others from theirs.
func OpenPrivate(path string) (*os.File, error) {
	fail := func(err error) (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: path, Err: err} }
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return fail(err)
	}
	rights, err := windows.SecurityDescriptorFromString(privateRights)
	if err != nil {
		return fail(err)
	}
	with := windows.SecurityAttributes{SecurityDescriptor: rights}
	with.Length = uint32(unsafe.Sizeof(with))
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	file, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE|windows.WRITE_DAC, share, &with, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return os.OpenFile(path, os.O_RDWR, 0) // of another owner, whose rights allow this account no more than that
	} else if err != nil {
		return fail(err)
	}
	// A file that was there before may have the rights of its folder.
	if err := windows.SetKernelObjectSecurity(file, windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, rights); err != nil {
		return fail(errors.Join(err, windows.CloseHandle(file)))
	}
	return os.NewFile(uintptr(file), path), nil
}
