package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// TestWhoElse is what lists of rights say, as Windows writes them.
func TestWhoElse(t *testing.T) {
	t.Parallel()
	const (
		program = "O:SYG:SYD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)"
		// C:\ProgramData and C:\ of Windows 10.
		data  = "O:SYG:SYD:PAI(A;OICIIO;GA;;;CO)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;CI;DCLCRPCR;;;BU)"
		drive = "O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;CI;LC;;;AU)(A;OICIIO;SDGXGWGR;;;AU)"
		// The root of another drive: everybody who has signed in may change what is on it, but not what others protect.
		second = "O:SYD:(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(A;OICI;0x1301bf;;;AU)(A;OICI;0x1200a9;;;BU)"
	)
	for _, c := range []struct {
		sddl       string
		to         access
		drive, has bool
		account    string // which is trusted, too
	}{
		{program, toChange, false, false, ""},
		{data, toReplace, false, false, ""},
		{data, toChange, false, true, ""},
		{drive, toReplace, true, false, ""},
		{second, toReplace, true, false, ""},
		{second, toReplace, false, true, ""},
		{"O:BAD:(A;;FA;;;S-1-5-21-1-2-3-512)(A;;FA;;;OW)", toChange, false, false, ""},
		{"O:S-1-5-21-1-2-3-1001D:(A;;FA;;;SY)", toReplace, false, true, ""},
		{"O:S-1-5-21-1-2-3-1001D:(A;;FA;;;SY)", toReplace, false, false, "S-1-5-21-1-2-3-1001"},
		{"O:SYD:(A;;FA;;;SY)(D;;FA;;;WD)", toChange, false, false, ""},
		{"O:SYD:(A;;FA;;;SY)(A;;0x100;;;WD)", toChange, false, true, ""},
		{"O:SYD:(A;;FA;;;SY)(A;;WD;;;WD)", toReplace, false, true, ""},
		{"O:SYG:SY", toReplace, false, true, ""},
	} {
		rights, err := windows.SecurityDescriptorFromString(c.sddl)
		if err != nil {
			t.Errorf("%s: %v", c.sddl, err)
			continue
		}
		reason, err := whoElse(rights, c.to, c.drive, []string{c.account})
		if err != nil || (reason != "") != c.has {
			t.Errorf("%s: it is %q, %v", c.sddl, reason, err)
		}
	}
}

// TestTrustedTreeOnWindows: a folder that is made is trusted, until somebody gets rights on what is in it.
func TestTrustedTreeOnWindows(t *testing.T) {
	folder := filepath.Join(os.Getenv("SystemDrive")+`\`, "ProgramData", "Overcrank Trusted Test")
	defer func() { _ = os.RemoveAll(folder) }()
	if err := TrustedTree(folder, 2); err != nil {
		t.Errorf("before it is made: %v", err)
	}
	if err := MakeFolder(filepath.Join(folder, versionsFolder)); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(folder, stateFile)
	if err := os.WriteFile(state, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := TrustedTree(folder, 2); err != nil {
		t.Errorf("as it was made: %v", err)
	}
	everybody, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;WD)(A;;FA;;;SY)(A;;FA;;;OW)")
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := everybody.DACL()
	if err != nil {
		t.Fatal(err)
	}
	if err := windows.SetNamedSecurityInfo(state, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil); err != nil {
		t.Fatal(err)
	}
	if err := TrustedTree(folder, 2); !errors.As(err, new(*UntrustedError)) {
		t.Errorf("with a state that everybody may write: it is %v", err)
	}
}
