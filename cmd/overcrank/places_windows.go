package main

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// usualConfig is where the configuration of a command lies when none is named.
func usualConfig(command string) string { return filepath.Join(programData(), command+".yaml") }

// farmFolder is where a farm that somebody starts for themselves keeps its data when no folder is named.
func farmFolder() string {
	folder, err := windows.KnownFolderPath(windows.FOLDERID_LocalAppData, windows.KF_FLAG_DEFAULT)
	if err != nil {
		folder = `~\AppData\Local`
	}
	return filepath.Join(folder, "Overcrank")
}

// agentFolder is where an agent keeps its data when no folder is named.
func agentFolder() string { return filepath.Join(programData(), "agent") }

// programData is asked of Windows: the variable of the environment is not set the same for services.
func programData() string {
	folder, err := windows.KnownFolderPath(windows.FOLDERID_ProgramData, windows.KF_FLAG_DEFAULT)
	if err != nil {
		folder = `C:\ProgramData`
	}
	return filepath.Join(folder, "Overcrank")
}
