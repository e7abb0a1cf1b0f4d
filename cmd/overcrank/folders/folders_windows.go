package folders

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Config is the configuration file of a command when none is named.
func Config(command string) string { return filepath.Join(programData(), command+".yaml") }

// Farm is the data folder of a farm that somebody starts for themselves.
func Farm() string {
	folder, err := windows.KnownFolderPath(windows.FOLDERID_LocalAppData, windows.KF_FLAG_DEFAULT)
	if err != nil {
		folder = "~/AppData/Local" // the parser of flags expands it
	}
	return filepath.Join(folder, "Overcrank")
}

// Launcher is the state folder of a workstation's launcher.
func Launcher() string { return filepath.Join(programData(), "launcher") }

// Logs is where the agent's service keeps log files, "" where the system keeps what it prints.
func Logs() string { return filepath.Join(programData(), "logs") }

// Agent is the data folder of an agent.
func Agent() string { return filepath.Join(programData(), "agent") }

// programData is asked of Windows: the environment of services may lack the variable.
func programData() string {
	folder, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, windows.KF_FLAG_DEFAULT)
	if err != nil {
		folder = `C:\ProgramData`
	}
	return filepath.Join(folder, "Overcrank")
}
