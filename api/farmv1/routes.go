// Package farmv1 answers the farm's own interface, /api/farm/v1: machines, the queue, tasks, people and their tokens, the policy,
// coordinators, backups and events. The command line asks here.
package farmv1

import (
	"log/slog"
	"slices"
	"time"

	"overcrank/api/route"
	"overcrank/api/socket"
	"overcrank/api/throttle"
	"overcrank/coordinator/audit"
	"overcrank/coordinator/cluster"
	"overcrank/coordinator/delivery"
	"overcrank/coordinator/downloads"
	"overcrank/coordinator/enrolment"
	"overcrank/coordinator/library"
	"overcrank/coordinator/notices"
	"overcrank/coordinator/people"
	"overcrank/coordinator/results"
	"overcrank/coordinator/reviews"
	"overcrank/coordinator/templates"
	"overcrank/coordinator/updates"
	"overcrank/coordinator/uploads"
)

// root begins the addresses of this interface.
const root = "/api/farm/v1"

// Farm is what the farm's own interface speaks with.
type Farm struct {
	People      *people.Directory
	Invitations *enrolment.Registry // of machines
	Machines    Machines
	Jobs        Jobs
	Batches     Batches
	Tasks       Tasks
	Queue       Queue
	Search      Search
	Failures    Failures
	Reports     Reports
	Projects    Projects
	Presets     Presets
	Policy      Policies
	Status      Status
	Events      Events
	Backups     Backups
	Cluster     *cluster.Cluster
	Gossip      *cluster.Gossip
	Authority   Authority
	Templates   *templates.Catalog
	Preflights  Preflights
	Previews    Previews
	Results     *results.Results
	Secrets     *library.Secrets
	Releases    *updates.Releases
	Rollouts    Rollouts
	Downloads   *downloads.Downloads
	Stored      *library.StoredFiles
	Uploads     *uploads.Uploads
	Fonts       *library.Fonts
	Webhooks    *delivery.Webhooks
	Notices     *notices.Notices
	Reviews     *reviews.Reviews
	Audit       *audit.Log
	// PublicAddress is where callers find the farm.
	PublicAddress func() string
	Now           func() time.Time
}

// Config says how the farm's own interface is served.
type Config struct {
	Version string
	Logger  *slog.Logger
	// Sockets carry events to those who ask for a websocket.
	Sockets *socket.Hub
	// Followers bounds how many may be told of events.
	Followers throttle.Followers
}

// Routes are the addresses of the farm's own interface. The farm's operators and administrators are those of its first team;
// coordinator holds to that.
func Routes(f Farm, cfg Config) []route.Route {
	return slices.Concat(
		statusHandlers{f.Status, cfg.Version}.routes(),
		machineHandlers{f.Machines}.routes(),
		invitationHandlers{f.Invitations}.routes(),
		peopleHandlers{f.People, f.PublicAddress, f.Now}.routes(),
		noticeHandlers{f.Notices}.routes(),
		reviewHandlers{f.Reviews, f.Now}.routes(),
		auditHandlers{f.Audit}.routes(),
		jobHandlers{f.Jobs, f.Results, f.Templates}.routes(),
		batchHandlers{f.Batches}.routes(),
		taskHandlers{f.Tasks}.routes(),
		queueHandlers{f.Queue}.routes(),
		searchHandlers{f.Search}.routes(),
		failureHandlers{f.Failures}.routes(),
		reportHandlers{f.Reports}.routes(),
		projectHandlers{f.Projects}.routes(),
		presetHandlers{f.Presets}.routes(),
		policyHandlers{f.Policy}.routes(),
		updateHandlers{f.Releases, f.Rollouts}.routes(),
		downloadHandlers{f.Downloads}.routes(),
		templateHandlers{f.Templates, f.Stored, f.Preflights, f.Previews}.routes(),
		fileHandlers{f.Stored}.routes(),
		uploadHandlers{f.Uploads}.routes(),
		preflightHandlers{f.Machines, f.Stored, f.Fonts}.routes(),
		fontHandlers{f.Fonts}.routes(),
		secretHandlers{f.Secrets}.routes(),
		webhookHandlers{f.Webhooks}.routes(),
		clusterHandlers{f.Cluster, f.Gossip, f.Authority}.routes(),
		backupHandlers{f.Backups, cfg.Logger}.routes(),
		eventHandlers{f.Events, cfg.Sockets, cfg.Followers}.routes(),
	)
}
