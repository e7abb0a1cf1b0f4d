package web

import (
	"overcrank/coordinator"
	"overcrank/coordinator/audit"
	"overcrank/coordinator/cluster"
	"overcrank/coordinator/delivery"
	"overcrank/coordinator/downloads"
	"overcrank/coordinator/enrolment"
	"overcrank/coordinator/library"
	"overcrank/coordinator/notices"
	"overcrank/coordinator/people"
	"overcrank/coordinator/preview"
	"overcrank/coordinator/results"
	"overcrank/coordinator/reviews"
	"overcrank/coordinator/singlesignon"
	"overcrank/coordinator/submission"
	"overcrank/coordinator/templates"
	"overcrank/coordinator/updates"
	"overcrank/coordinator/uploads"
)

// parts are what the dashboard speaks with: rooms of the coordinator, and small interfaces of what it does itself.
type parts struct {
	people      *people.Directory
	invitations *enrolment.Registry // of machines
	submitter   *submission.Submitter
	jobs        jobs
	batches     batches
	tasks       tasks
	queue       queue
	finder      finder
	failures    failures
	reports     reports
	projects    projects
	presets     presets
	personal    personal
	uses        uses
	machines    machines
	policy      policies
	releases    *updates.Releases
	downloads   *downloads.Downloads
	rollouts    rollouts
	status      status
	events      events
	cluster     *cluster.Cluster
	templates   *templates.Catalog
	preflights  preflights
	previews    *preview.Room
	results     *results.Results
	fonts       *library.Fonts
	secrets     *library.Secrets
	stored      *library.StoredFiles
	uploads     *uploads.Uploads
	webhooks    *delivery.Webhooks
	notices     *notices.Notices
	audit       *audit.Log
	reviews     *reviews.Reviews
	passkeys    *people.Passkeys
	signOn      *singlesignon.Provider // nil for a farm without single sign-on
	// publicAddress is where people find the farm, otherAddresses where they find it when this coordinator is gone.
	publicAddress  func() string
	otherAddresses func() []string
}

// partsOf takes a coordinator apart. Nothing else of the dashboard knows it as a whole.
func partsOf(c *coordinator.Coordinator) parts {
	return parts{
		people: c.Directory, invitations: c.Registry, submitter: c.Submitter, jobs: c, batches: c, tasks: c, queue: c, finder: c.Search(), failures: c, reports: c, projects: c, presets: c, personal: c, uses: c, machines: c, policy: c, releases: c.Releases(), downloads: c.Downloads(), rollouts: c, status: c,
		events: c, cluster: c.Cluster(), templates: c.Templates(), preflights: c, previews: c.Previews(), results: c.Results(), fonts: c.Fonts(), secrets: c.Secrets(), stored: c.StoredFiles(), uploads: c.Uploads(),
		webhooks: c.Webhooks(), notices: c.Notices(), reviews: c.Reviews(), audit: c.Audit(), passkeys: c.Passkeys(), signOn: c.SingleSignOn(), publicAddress: c.PublicAddress, otherAddresses: c.OtherAddresses,
	}
}
