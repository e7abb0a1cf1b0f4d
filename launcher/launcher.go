// Package launcher keeps the agent of a workstation running and updates it. Each version has a folder of its own: the installed version beside the
// launcher, updates in the launcher's state folder. The running agent stages an update. The launcher starts it on trial and keeps it once it reports that
// it is healthy; otherwise the launcher goes back to the previous version. A kill or a power cut at any instant leaves a version that starts.
//
// The state folder holds
//
//	state.json            which versions there are, and which one runs (State)
//	versions/V            an update: the agent's program and the documents of its release
//	versions/.incoming-*  a release that the agent is fetching
//	lock                  locked while a process changes the state
//	service.lock          locked by the running launcher
//	agent.lock            locked by the agent that it started (not on Windows)
package launcher

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Version is the version of this launcher. A release may need a minimum (minLauncher). It grows when agents need something that older launchers lack.
const Version = 1

// ServiceName is the name of the Windows service, and the source of its events in the event log.
const ServiceName = "OvercrankAgent"

// ExitUpdate is the exit code with which an agent asks the launcher to start the version that it staged: EX_TEMPFAIL of sysexits.h. The agent's program uses
// it for nothing else.
const ExitUpdate = 75

// NoticeReload is a line that the launcher writes to the standard input of a running agent, which reads its settings again. An agent ignores lines that it does
// not know.
const NoticeReload = "reload"

// Environment variables that the launcher sets for the agent.
const (
	envFolder  = "OVERCRANK_LAUNCHER_STATE"   // the state folder
	envVersion = "OVERCRANK_LAUNCHER_STARTED" // the version that was started
	envTrial   = "OVERCRANK_LAUNCHER_TRIAL"   // 1 for a version on trial
	envOurs    = "OVERCRANK_LAUNCHER_VERSION" // Version of the launcher
)

// Launch is what an agent knows of the launcher that started it.
type Launch struct {
	Folder   string // of the launcher's state
	Version  string // of the agent that was started: the name of its folder
	Trial    bool   // the version is on trial until it calls Healthy
	Launcher int    // Version of the launcher
}

// Launched returns what the launcher told this process, and whether a launcher started it as an agent.
func Launched() (Launch, bool) {
	l := Launch{Folder: os.Getenv(envFolder), Version: os.Getenv(envVersion), Trial: os.Getenv(envTrial) == "1"}
	l.Launcher, _ = strconv.Atoi(os.Getenv(envOurs))
	return l, l.Folder != "" && l.Version != ""
}

// environment is what the launcher adds to the environment of the agent that it starts.
func (l Launch) environment() []string {
	trial := "0"
	if l.Trial {
		trial = "1"
	}
	return []string{
		envFolder + "=" + l.Folder, envVersion + "=" + l.Version, envTrial + "=" + trial, envOurs + "=" + strconv.Itoa(l.Launcher),
	}
}

// Program is the name of the agent's program in the folder of each version.
func Program() string {
	if runtime.GOOS == "windows" {
		return "overcrank-agent.exe"
	}
	return "overcrank-agent"
}

// versionsFolder is where versions lie, in the state folder and beside the launcher.
const versionsFolder = "versions"

// programOf is the path of a version's program below a folder, which is the state folder or the launcher's own.
func programOf(folder, version string) string {
	return filepath.Join(folder, versionsFolder, version, Program())
}
