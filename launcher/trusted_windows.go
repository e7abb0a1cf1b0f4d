package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The accounts that may change what the system follows: the system, the group of administrators, and TrustedInstaller, to which Windows' own files belong.
var administrators = []string{"S-1-5-18", "S-1-5-32-544", "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"}

// administratorOf are accounts and groups of a machine or domain, by the ends of their SIDs, that are administrators of it: Administrator, Domain Admins and
// Enterprise Admins.
var administratorOf = []string{"-500", "-512", "-519"}

// isAdministrator tells whether an account may change what the system follows.
func isAdministrator(sid string) bool {
	return slices.Contains(administrators, sid) ||
		strings.HasPrefix(sid, "S-1-5-21-") && slices.ContainsFunc(administratorOf, func(end string) bool { return strings.HasSuffix(sid, end) })
}

// ownerRights stands for the owner in lists of rights.
const ownerRights = "S-1-3-4"

// Rights with which an account can put something else in the place of a folder or of what is in it, and those with which it can change a file or a folder's
// entries. FILE_WRITE_ATTRIBUTES is among them since it makes an empty folder a link.
const (
	fileDeleteChild = 0x40 // FILE_DELETE_CHILD of winnt.h
	rightsToReplace = fileDeleteChild | windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL
	rightsToChange  = rightsToReplace | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.FILE_WRITE_ATTRIBUTES | windows.GENERIC_WRITE
)

// inspect fails with an *UntrustedError if another account has access to what is at path. It does not follow a link.
func inspect(path string, to access, accounts []string) error {
	rights, err := rightsOf(path)
	if err != nil {
		return &fs.PathError{Op: "read the rights of", Path: path, Err: err}
	}
	self, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("finding out the account of this process: %w", err)
	}
	reason, err := whoElse(rights, to, path == filepath.VolumeName(path)+`\`, append([]string{self.User.Sid.String()}, accounts...))
	if err != nil {
		return &fs.PathError{Op: "read the rights of", Path: path, Err: err}
	}
	if reason != "" {
		return &UntrustedError{Path: path, Reason: reason}
	}
	return nil
}

// rightsOf reads the owner of a file or folder and its list of rights; of a link, those of the link itself.
func rightsOf(path string) (*windows.SECURITY_DESCRIPTOR, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT // to open folders, and links themselves
	file, err := windows.CreateFile(name, windows.READ_CONTROL, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return nil, err
	}
	rights, err := windows.GetSecurityInfo(file, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	return rights, errors.Join(err, windows.CloseHandle(file))
}

// whoElse says who, besides administrators and the given accounts, has access; "" for nobody. A drive itself can be neither moved nor removed.
func whoElse(rights *windows.SECURITY_DESCRIPTOR, to access, drive bool, accounts []string) (reason string, err error) {
	known := func(account *windows.SID) bool {
		return isAdministrator(account.String()) || slices.Contains(accounts, account.String())
	}
	owner, _, err := rights.Owner()
	if err != nil {
		return "", err
	}
	if !known(owner) {
		return "it belongs to " + accountName(owner), nil
	}
	list, _, err := rights.DACL()
	if errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) || err == nil && list == nil {
		return "every account may change it", nil
	} else if err != nil {
		return "", err
	}
	unwanted := windows.ACCESS_MASK(rightsToChange)
	if to == toReplace {
		unwanted = rightsToReplace
	}
	if drive {
		unwanted &^= windows.DELETE
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return "", err
		}
		if entry.Header.AceType == windows.ACCESS_DENIED_ACE_TYPE || entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 || entry.Mask&unwanted == 0 {
			continue
		}
		if entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE {
			return fmt.Sprintf("it gives rights in a way that is not understood (type %d)", entry.Header.AceType), nil
		}
		account := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		if !known(account) && account.String() != ownerRights {
			return accountName(account) + " may change it", nil
		}
	}
	return "", nil
}

// accountName is the name of an account or group for people, or its SID if it has none.
func accountName(account *windows.SID) string {
	name, domain, _, err := account.LookupAccount("")
	if err != nil || name == "" {
		return account.String()
	}
	if domain == "" {
		return name
	}
	return domain + `\` + name
}

// Rights of a folder that the system follows, in SDDL: full access for the system, administrators and the owner, which is the account that makes it. To a
// private one others have no access, otherwise they may read.
const (
	privateRights = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;OW)"
	folderRights  = privateRights + "(A;OICI;0x1200a9;;;BU)"
)

// MakeFolder makes a folder that other accounts may read, and the folders above it. One made without rights of its own would let everybody add files to it
// in C:\ProgramData.
func MakeFolder(path string) error { return makeFolderWith(path, folderRights) }

// MakePrivateFolder makes a folder that only the system and administrators can open, and the folders above it, which others may read. It leaves one that
// exists as it is.
func MakePrivateFolder(path string) error { return makeFolderWith(path, privateRights) }

func makeFolderWith(path, sddl string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if above := filepath.Dir(path); above != path {
		if err := MakeFolder(above); err != nil {
			return err
		}
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	rights, err := windows.SecurityDescriptorFromString(sddl)
	if err != nil {
		return err
	}
	with := windows.SecurityAttributes{SecurityDescriptor: rights}
	with.Length = uint32(unsafe.Sizeof(with))
	if err := windows.CreateDirectory(name, &with); err != nil && !errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}
