package windows

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/installers/version"
)

// Types of the custom actions that take the answers: a program of the package (18) in the installation's script (1024), as the system (2048), whose command line
// stays out of the log (8192); 64 goes on when it fails. Two have no answers: one that runs when the installation is rolled back (256), and one for when it
// is complete (512).
const (
	typeConfigure         = 18 + 1024 + 2048 + 8192
	typeConfigureAgain    = typeConfigure + 64
	typeRollBackConfigure = 18 + 64 + 256 + 1024 + 2048
	typeCommitConfigure   = 18 + 64 + 512 + 1024 + 2048
)

// Access rights, in SDDL: the system and administrators have full access, and users none at all or may read and start. P keeps what lies above from adding to it.
const (
	rightsPrivate = "O:SYG:SYD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
	rightsRead    = rightsPrivate + "(A;OICI;0x1200a9;;;BU)"
)

// Answers are the properties that the package takes on msiexec's command line for an installation.
var Answers = []string{"SERVER", "JOIN", "CAFILE", "FINGERPRINT", "INSTALLDIR", "DATADIR", "TAGS", "UPDATES", "FIREWALL"}

// Answer tells whether a property is one of the Answers.
func Answer(name string) bool { return slices.Contains(Answers, name) }

// secureProperties are those that reach the part of the installation that runs as the system; hiddenProperties stay out of its log.
const (
	secureProperties = "WIX_DOWNGRADE_DETECTED;WIX_UPGRADE_DETECTED;SERVER;JOIN;CAFILE;FINGERPRINT;INSTALLDIR;DATADIR;TAGS;UPDATES;FIREWALL;PURGE;RETIRE"
	hiddenProperties = "JOIN;Answers;Configure;ConfigureAgain"
)

// eventMessages is the program of Windows with which any text of an event can be shown, as the registry's table writes it.
const eventMessages = `#%%SystemRoot%\System32\EventCreate.exe`

// removeOldSequence is right behind InstallInitialize: the version before is removed within the transaction, so that it comes back when the installation fails.
const removeOldSequence = 1501

// table is one that wixl cannot write.
type table struct {
	name    string
	columns []string
	types   []string // as Windows Installer's archive files have them: s or S for text, with its length; capital when it may be empty
	rows    [][]string
}

var added = []table{
	{
		name: "MsiLockPermissionsEx", columns: []string{"MsiLockPermissionsEx", "LockObject", "Table", "SDDLText", "Condition"}, types: []string{"s72", "s72", "s32", "s0", "S255"},
		rows: [][]string{
			// Installed somewhere else than in Program Files, the service's program must not be one that anybody can replace.
			{"LockInstallDir", "INSTALLDIR", "CreateFolder", rightsRead, ""},
			{"LockDataRoot", "DATAROOT", "CreateFolder", rightsRead, ""},
			{"LockLogs", "LOGS", "CreateFolder", rightsRead, ""},
			{"LockLauncher", "LAUNCHERSTATE", "CreateFolder", rightsRead, ""},
			{"LockAgentData", "AGENTDATA", "CreateFolder", rightsPrivate, ""},
		},
	},
	{
		name: "Environment", columns: []string{"Environment", "Name", "Value", "Component_"}, types: []string{"s72", "l255", "L255", "s72"},
		// Set at the installation and removed with the component (=-), for the machine (*), behind what is there ([~]).
		rows: [][]string{{"PathEntry", "=-*PATH", "[~];[INSTALLDIR]", "Launcher"}},
	},
}

// complete adds to a compiled package what wixl does not know.
func complete(ctx context.Context, msi string, id identity, v version.Version) error {
	for _, t := range added {
		path := filepath.Join(filepath.Dir(msi), t.name+".idt")
		if err := os.WriteFile(path, t.archive(), 0o600); err != nil {
			return fmt.Errorf("writing the table %s: %w", t.name, err)
		}
		if _, err := run(ctx, "msibuild", msi, "-i", path); err != nil {
			return fmt.Errorf("adding the table %s: %w", t.name, err)
		}
	}
	if _, err := run(ctx, "msibuild", append([]string{msi, "-q"}, changes(v)...)...); err != nil {
		return fmt.Errorf("changing the compiled tables: %w", err)
	}
	if _, err := run(ctx, "msibuild", msi, "-s", "Overcrank Agent "+v.String(), "Overcrank", "x64;1033", id.pack); err != nil {
		return fmt.Errorf("setting the package's summary: %w", err)
	}
	return nil
}

// changes are the statements that complete the tables that wixl wrote.
func changes(v version.Version) []string {
	all := []string{
		fmt.Sprintf("UPDATE `Property` SET `Value`='%s' WHERE `Property`='SecureCustomProperties'", secureProperties),
		fmt.Sprintf("INSERT INTO `Property` (`Property`,`Value`) VALUES ('MsiHiddenProperties','%s')", hiddenProperties),
		fmt.Sprintf("UPDATE `CustomAction` SET `Type`=%d WHERE `Action`='Configure'", typeConfigure),
		fmt.Sprintf("UPDATE `CustomAction` SET `Type`=%d WHERE `Action`='ConfigureAgain'", typeConfigureAgain),
		fmt.Sprintf("UPDATE `CustomAction` SET `Type`=%d WHERE `Action`='RollBackConfigure'", typeRollBackConfigure),
		fmt.Sprintf("UPDATE `CustomAction` SET `Type`=%d WHERE `Action`='CommitConfigure'", typeCommitConfigure),
		fmt.Sprintf("UPDATE `InstallExecuteSequence` SET `Sequence`=%d WHERE `Action`='RemoveExistingProducts'", removeOldSequence),
		// The table of the environment is carried out by these two, which wixl adds only with a table of its own.
		"INSERT INTO `InstallExecuteSequence` (`Action`,`Sequence`) VALUES ('RemoveEnvironmentStrings',3300)",
		"INSERT INTO `InstallExecuteSequence` (`Action`,`Sequence`) VALUES ('WriteEnvironmentStrings',5200)",
		// wixl forgets that the path holds a variable (#%), and marks actions that set a property with a bit for scripts (2048).
		fmt.Sprintf("UPDATE `Registry` SET `Value`='%s' WHERE `Name`='EventMessageFile'", eventMessages),
		"UPDATE `CustomAction` SET `Type`=51 WHERE `Type`=2099",
	}
	// A program without its version here counts as older than the one that is installed: an upgrade would keep the old one and then remove it.
	for _, file := range []string{"LauncherExe", "AgentExe"} {
		all = append(all,
			fmt.Sprintf("UPDATE `File` SET `Version`='%s.0' WHERE `File`='%s'", v.Numeric(), file),
			fmt.Sprintf("UPDATE `File` SET `Language`='1033' WHERE `File`='%s'", file),
			fmt.Sprintf("DELETE FROM `MsiFileHash` WHERE `File_`='%s'", file))
	}
	return all
}

// archive is the table as an archive file of Windows Installer.
func (t table) archive() []byte {
	lines := [][]string{t.columns, t.types, {t.name, t.columns[0]}}
	var b strings.Builder
	for _, line := range append(lines, t.rows...) {
		b.WriteString(strings.Join(line, "\t") + "\r\n")
	}
	return []byte(b.String())
}
