package installation

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"

	"overcrank/launcher"
)

// rightsOf are those of a folder, in SDDL.
func rightsOf(t *testing.T, path string) string {
	t.Helper()
	rights, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	return rights.String()
}

// TestFoldersOnWindows: one that is made, and one that is there, can be changed by administrators alone.
func TestFoldersOnWindows(t *testing.T) {
	root := filepath.Join(os.Getenv("SystemDrive")+`\`, "ProgramData", "Overcrank Folder Test")
	defer func() { _ = os.RemoveAll(root) }()
	there := filepath.Join(root, "there")
	for _, folder := range []struct{ path, rights string }{{root, rightsRead}, {filepath.Join(root, "logs"), rightsRead}, {filepath.Join(root, "agent"), rightsPrivate}, {there, rightsRead}} {
		if folder.path == there {
			if err := os.Mkdir(there, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // as a second installation does
			if err := makeFolder(folder.path, folder.rights); err != nil {
				t.Fatal(err)
			}
			if err := launcher.TrustedTree(folder.path, 0); err != nil {
				t.Error(err)
			}
		}
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openFolder(file); !errors.Is(err, errLink) {
		t.Errorf("a file: %v", err)
	}
}

// TestOwnersOnWindows: a folder that another account has made is not used.
func TestOwnersOnWindows(t *testing.T) {
	for sddl, want := range map[string]error{"O:SYD:(A;;FA;;;SY)": nil, "O:BAD:(A;;FA;;;BA)": nil, "O:S-1-5-21-1-2-3-1001D:(A;;FA;;;SY)": errForeign, "O:BUD:(A;;FA;;;SY)": errForeign} {
		rights, err := windows.SecurityDescriptorFromString(sddl)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkOwner(rights); !errors.Is(err, want) {
			t.Errorf("%s: %v", sddl, err)
		}
	}
}

// TestALinkGetsNoRights: what it leads to may be a folder of Windows.
func TestALinkGetsNoRights(t *testing.T) {
	target, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	out, err := exec.CommandContext(t.Context(), "cmd", "/c", "mklink", "/J", link, target).CombinedOutput()
	if _, missing := os.Lstat(link); err != nil || missing != nil { // wine says that it has made one
		t.Skipf("no junction can be made here: %v: %s", err, out)
	}
	before := rightsOf(t, target)
	if err := makeFolder(link, rightsRead); !errors.Is(err, errLink) {
		t.Errorf("a junction: %v", err)
	}
	if after := rightsOf(t, target); after != before {
		t.Errorf("the rights behind it were %s, and are %s", before, after)
	}
}
