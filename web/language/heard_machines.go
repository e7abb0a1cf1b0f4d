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

	// coordinator/files, coordinator/membership, coordinator/cluster: how the coordinators stand
	"the shared folder %s",
	"the state of coordinator %s differs from the others': %s",
	"coordinator %s has not answered for %s",
	"the clock of coordinator %s is %s ahead of this coordinator's: correct the one that is wrong",
	"the clock of coordinator %s is %s behind this coordinator's: correct the one that is wrong",
	"%d of %d coordinators with a vote answer, %d are needed: the farm takes no changes until more of them are back",
	"the farm stops working if one more coordinator fails",
	"%d coordinators have a vote: an even number tolerates no more failures than one fewer; use 1, 3 or 5",
	"%s have the same address for machines, %s: give each its own with --node-address",
	"--public-address must be the same on every coordinator but is %s; links begin with %s",
	"the farm has no address of its own: links begin with %s and fail while that coordinator is away; give every coordinator the same --public-address, a name that resolves to all of them",

	// coordinator/dispatch
	"its agent is newer than the farm (protocol %s, the farm's is %s): update the coordinators",
	"its agent is too old for the farm (protocol %s, the farm's is %s): it gets no work until it is updated",

	// raftstore/tables: why a machine is set aside
	"attempts of %d jobs in a row failed on it",
	"attempts of %d jobs in a row failed on it; the last because it vanished while it rendered",
	"attempts of %d jobs in a row failed on it; the last said: %s",
	"jobs of %d templates in a row failed for good on it, and none went well",
	"%d jobs in a row failed for good on it, and another machine could render one of them",

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
