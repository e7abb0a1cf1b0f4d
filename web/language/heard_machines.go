package language

// standings are why machines take no work, and how they stand with a release. The machines and the coordinators word them in English, and the
// state and the interfaces keep them so.
var standings = []string{
	// agent/presence
	"somebody works at it",
	"it runs on its battery",
	"paused by somebody at the machine",
	"outside its hours (%s)",
	"outside the hours that the farm has set (%s)",
	"%s is running",
	"other programs take more than %d %% of its processors",

	// agent/readiness, and the rest of the agent
	"ffmpeg or ffprobe is missing: the farm's cannot be used (%s); install ffmpeg where the PATH of the agent's account finds it, or give the farm a build to hand out ('overcrank ffmpeg add')",
	"ffmpeg or ffprobe is missing: install ffmpeg where the PATH of the agent's account finds it, or give the farm a build to hand out ('overcrank ffmpeg add')",
	"its disk is full: make room on the disk of %s",
	"its disk takes no writes (%s): look at the disk of %s",
	"it is being updated to %s",
	"nobody is signed in",
	"it is not known yet who is signed in",
	"Overcrank does not run in the session of who is signed in",
	"the agent is stopping",
	"Overcrank cannot reach people's sessions: %s",
	"an operator has paused it",

	// coordinator/dispatch
	"its agent is newer than the farm (protocol %s, the farm's is %s): update the coordinators",
	"its agent is too old for the farm (protocol %s, the farm's is %s): it gets no work until it is updated",

	// raftstore/tables: why a machine is set aside
	"attempts of %d jobs in a row failed on it",
	"attempts of %d jobs in a row failed on it; the last because it vanished while it rendered",
	"attempts of %d jobs in a row failed on it; the last said: %s",
	"jobs of %d templates in a row failed for good on it, and none went well",

	// coordinator/updates: why a release goes no further, and what its next step waits for
	"it was stopped: %s",
	"%s rolled %s back",
	"%s rolled %s back: %s",
	"%s began to install %s and has not come back",
	"all %d machines of the canary ring that are online refuse %s: %s",
	"all %d machines of the 10 %% ring that are online refuse %s: %s",
	"all %d machines of the last ring that are online refuse %s: %s",
	"%s, the only machine of the canary ring that is online, refuses %s: %s",
	"%s, the only machine of the 10 %% ring that is online, refuses %s: %s",
	"%s, the only machine of the last ring that is online, refuses %s: %s",
	"%d of %d machines of the canary ring run it",
	"%d of %d machines of the 10 %% ring run it",
	"%d of %d machines of the last ring run it",
	"the canary ring tries it until %s",
	"the 10 %% ring tries it until %s",
	"no machine of the canary ring that is online works with it yet",
	"no machine of the 10 %% ring that is online works with it yet",
	"no machine is in the canary ring: name one, or a tag",
	"no machine gets releases from the farm",
	"the coordinator has just begun to lead, and machines are connecting to it",
	"it speaks versions %s to %s of the agents' protocol, but the farm speaks version %s",
	"it expired on %s: add a newer release",
	"the keys that signed it expired on %s: add a release that is signed with a newer list of keys",
	"outside the hours for updates",
	"release %s does not render on this machine: %s",
	"outside the hours for updates, which begin %s",
	"%s; %s refuses it: %s",
	"%s; %s could not take it and tries again: %s",
	"%s; %s runs it without having rendered a frame: %s",
	"%s; switch one on, or name it as a canary so that this ring does not wait for it",
	"%s (and %d more)",
}
