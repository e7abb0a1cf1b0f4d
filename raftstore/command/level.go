package command

import "errors"

// A farm's level says which commands may be written: those that the programs of all its nodes understand. Nodes are updated one
// after the other, and back; meanwhile newer ones write nothing that older ones cannot read. When every node's record says a
// higher level, the leader raises the farm's, after which older programs cannot follow and say so.
//
// A release that brings a command, or a field of one, that the release before would not understand, raises NewestLevel, and the
// command says so by its method Needs.
const (
	// FirstLevel is that of release v0.1.0, which knew one coordinator only.
	FirstLevel = 1
	// clusterLevel is that of the first release that knows clusters. No node of an older one can be a member, so all its commands
	// may always be written.
	ClusterLevel = 2
	// CheckedLevel is that of the release whose nodes compare the rows that they hold, and check them in their files.
	CheckedLevel = 3

	// ReleasesLevel is that of the release that hands releases of the agent's program to machines.
	ReleasesLevel = 4

	// SecretTagsLevel is from which level on secrets may be bound to machines, and jobs say which secrets they use.
	SecretTagsLevel = CheckedLevel
	// RootsLevel is from which level on inventories say which folders machines may take files from.
	RootsLevel = CheckedLevel
	// EncodersLevel is from which level on inventories say which encoders machines have, and which ffmpeg.
	EncodersLevel = ReleasesLevel
	// ReusedLevel is from which level on attempts say how many of their frames were not drawn.
	ReusedLevel = ReleasesLevel
	// PasswordsLevel is from which level on people have passwords and e-mail addresses, and the farm knows the browsers that are signed in.
	PasswordsLevel = ReleasesLevel
	// NoticesLevel is from which level on people say what they want to be told of. What they are told follows from that, so nothing is owed to
	// anybody below it.
	NoticesLevel = ReleasesLevel
	// BatchLabelsLevel is from which level on batches have names, and times at which they are due.
	BatchLabelsLevel = ReleasesLevel
	// BatchOwnersLevel is from which level on batches say who submitted them, when new takes stand in the place of their first jobs.
	BatchOwnersLevel = ReleasesLevel
	// HoldLevel is from which level on jobs are held that were submitted without, and no task of a held one is leased.
	HoldLevel = ReleasesLevel
	// HoldRenderingLevel is from which level on jobs that render are held too, and wait again once their machines have finished what they began.
	HoldRenderingLevel = ReleasesLevel
	// TakesLevel is from which level on rows of a batch get new takes.
	TakesLevel = ReleasesLevel
	// FailuresLevel is from which level on failures have causes, and the state keeps which of them still need somebody.
	FailuresLevel = ReleasesLevel
	// ReportsLevel is from which level on the state keeps sums of what machines did, by day.
	ReportsLevel = ReleasesLevel
	// DayPartsLevel is from which level on the state also keeps sums of parts of the latest days, so that today can be counted in the reader's time zone.
	DayPartsLevel = ReleasesLevel
	// ReviewsLevel is from which level on others may look at results by links and say what they think of them, and jobs say which earlier one
	// they are a take of.
	ReviewsLevel = ReleasesLevel
	// SignInLevel is from which level on people come in by single sign-on, and by passkeys.
	SignInLevel = ReleasesLevel
	// PresetsLevel is from which level on teams have presets, templates are retired and remember what they were, and the state counts what jobs
	// use.
	PresetsLevel = ReleasesLevel
	// VersionsLevel is from which level on the farm keeps files of earlier versions of templates, and jobs hold the file that they were submitted
	// with.
	VersionsLevel = ReleasesLevel
	// CompletedLevel is from which level on a project that comes alone is put together with the files of the version before it.
	CompletedLevel = ReleasesLevel
	// RenderAgainLevel is from which level on people have frames rendered again, and jobs say which is the first frame that they render.
	RenderAgainLevel = ReleasesLevel
	// ProjectsLevel is from which level on teams have projects and budgets of machine hours, jobs say which project they are for, and the state
	// counts what projects use.
	ProjectsLevel = ReleasesLevel
	// PersonalLevel is from which level on people have views of the list of jobs.
	PersonalLevel = ReleasesLevel
	// TeamMovesLevel is from which level on people are moved to another team.
	TeamMovesLevel = ReleasesLevel
	// LanguageLevel is from which level on the farm knows which language people read.
	LanguageLevel = ReleasesLevel
	// MachineHoursLevel is from which level on the farm says at which hours machines get work.
	MachineHoursLevel = ReleasesLevel
	// BackupsLevel is from which level on the farm remembers its latest backups.
	BackupsLevel = ReleasesLevel
	// MachineJobsLevel is from which level on the state lists the jobs that each machine worked on.
	MachineJobsLevel = ReleasesLevel
	// MissingFootageLevel is from which level on jobs say what is drawn where footage is missing, and whether frames of others may stand in.
	MissingFootageLevel = ReleasesLevel
	// FontCopiesLevel is from which level on fonts of a library are kept under other names, for those that it lacks.
	FontCopiesLevel = ReleasesLevel
	// SecondOpinionsLevel is from which level on what fails for good on a machine that fails job after job is tried on another one.
	SecondOpinionsLevel = ReleasesLevel
	// AuditLevel is from which level on commands say who asks for them. Below it nothing is noted for the audit log.
	AuditLevel = ReleasesLevel
)

// ErrNewer marks a state or a command of a release that this program does not understand. It is no damage, and nothing is to be
// made again because of it.
var ErrNewer = errors.New("update overcrank on this machine")

// SetLevel lets commands of a level be written from then on. It is refused while a coordinator's record says that its program does
// not understand them, and never goes back.
type SetLevel struct {
	Level   int
	Version string // of the program that raised it, to tell those who cannot follow
}

func (SetLevel) Needs() int { return ClusterLevel }
