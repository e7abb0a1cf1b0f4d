package windows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overcrank/installers/version"
)

// Rows are those of a table of a package, each by the names of its columns.
type Rows []map[string]string

// Table reads a table of a package, with none of our own code in between but for tabs and lines.
func Table(ctx context.Context, msi, name string) (Rows, error) {
	text, err := run(ctx, "msiinfo", "export", msi, name)
	if err != nil {
		return nil, fmt.Errorf("reading the table %s: %w", name, err)
	}
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	const head = 3 // columns, types, name and keys
	if len(lines) < head {
		return nil, fmt.Errorf("the table %s has no columns", name)
	}
	columns := strings.Split(strings.TrimRight(lines[0], "\r"), "\t")
	var rows Rows
	for _, line := range lines[head:] {
		row := map[string]string{}
		for i, value := range strings.Split(strings.TrimRight(line, "\r"), "\t") {
			if i >= len(columns) {
				return nil, fmt.Errorf("a row of the table %s has more than %d columns: %q", name, len(columns), line)
			}
			row[columns[i]] = value
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Get finds the value of a column in the row whose key column has a value, "" when there is no such row.
func (rows Rows) Get(key, is, column string) string {
	for _, row := range rows {
		if row[key] == is {
			return row[column]
		}
	}
	return ""
}

// expected is a value that a package must have, wherever it was made; each is one that a tool was seen to drop without a word.
type expected struct{ table, key, is, column, want string }

func expectations(v version.Version) []expected {
	return []expected{
		{"Property", "Property", "ProductVersion", "Value", v.Numeric()},
		{"Property", "Property", "ProductName", "Value", "Overcrank Agent"},
		{"Property", "Property", "ALLUSERS", "Value", "1"},
		{"Property", "Property", "REINSTALLMODE", "Value", "amus"},
		{"Property", "Property", "ARPPRODUCTICON", "Value", "OvercrankIcon"},
		{"Property", "Property", "SecureCustomProperties", "Value", secureProperties},
		{"Property", "Property", "MsiHiddenProperties", "Value", hiddenProperties},
		{"CustomAction", "Action", "Configure", "Type", fmt.Sprint(typeConfigure)},
		{"CustomAction", "Action", "ConfigureAgain", "Type", fmt.Sprint(typeConfigureAgain)},
		{"InstallExecuteSequence", "Action", "RemoveExistingProducts", "Sequence", fmt.Sprint(removeOldSequence)},
		{"InstallExecuteSequence", "Action", "Configure", "Sequence", "5850"},
		// Who may ask for a repair, which is anybody, must not choose the farm or a folder of the service.
		{"InstallExecuteSequence", "Action", "ConfigureAgain", "Condition", "WIX_UPGRADE_DETECTED AND NOT Installed"},
		{"InstallExecuteSequence", "Action", "ChooseData", "Condition", "DATADIR AND NOT Installed"},
		{"Feature", "Feature", "Panel", "Level", "1000"}, // only for those who ask for it
		{"File", "File", "LauncherExe", "Version", v.Numeric() + ".0"},
		{"File", "File", "AgentExe", "Version", v.Numeric() + ".0"},
		{"ServiceInstall", "ServiceInstall", "AgentService", "Name", "OvercrankAgent"},
		{"ServiceInstall", "ServiceInstall", "AgentService", "StartName", "LocalSystem"},
		{"ServiceInstall", "ServiceInstall", "AgentService", "Arguments", "service"},
		{"MsiLockPermissionsEx", "LockObject", "INSTALLDIR", "SDDLText", rightsRead},
		{"MsiLockPermissionsEx", "LockObject", "AGENTDATA", "SDDLText", rightsPrivate},
		{"InstallExecuteSequence", "Action", "WriteEnvironmentStrings", "Sequence", "5200"},
		{"InstallExecuteSequence", "Action", "RemoveEnvironmentStrings", "Sequence", "3300"},
		{"Registry", "Name", "EventMessageFile", "Value", eventMessages},
		{"Environment", "Environment", "PathEntry", "Name", "=-*PATH"},
		{"RegLocator", "Name", "InstallDir", "Type", "18"}, // a raw value, of the 64-bit registry
	}
}

// check reads a package back and refuses one that lacks what was put in.
func check(ctx context.Context, msi string, v version.Version) error {
	tables := map[string]Rows{}
	var wrong []error
	for _, e := range expectations(v) {
		rows, read := tables[e.table]
		if !read {
			var err error
			if rows, err = Table(ctx, msi, e.table); err != nil {
				return err
			}
			tables[e.table] = rows
		}
		if got := rows.Get(e.key, e.is, e.column); got != e.want {
			wrong = append(wrong, fmt.Errorf("%s of %s in the table %s is %q, not %q", e.column, e.is, e.table, got, e.want))
		}
	}
	listed, err := run(ctx, "msiextract", "-l", msi)
	if err != nil {
		return err
	}
	files := strings.Split(strings.ReplaceAll(listed, `\`, "/"), "\n")
	for _, want := range []string{"/overcrank.exe", "/versions/" + v.String() + "/overcrank-agent.exe", "/LICENCES.txt"} {
		if !slices.ContainsFunc(files, func(line string) bool { return strings.HasSuffix(strings.TrimSpace(line), want) }) {
			wrong = append(wrong, fmt.Errorf("the file %s is missing", want[1:]))
		}
	}
	return errors.Join(wrong...)
}
