package api

import (
	"github.com/prometheus/client_golang/prometheus"

	"overcrank/api/agents"
	"overcrank/api/farmv1"
	"overcrank/api/public"
	"overcrank/coordinator"
	"overcrank/coordinator/audit"
	"overcrank/coordinator/people"
	"overcrank/coordinator/state"
)

// parts are what the interface speaks with: the farm as each of its parts needs it, and what all requests pass.
type parts struct {
	public   public.Farm
	own      farmv1.Farm
	machines agents.Farm

	people        *people.Directory
	audit         *audit.Log
	lead          lead
	health        health
	requests      *state.Requests
	metrics       func() *prometheus.Registry
	publicAddress func() string
}

// partsOf takes a coordinator apart. Nothing else of the interface knows it as a whole.
func partsOf(c *coordinator.Coordinator) parts {
	return parts{
		public: public.Farm{
			Templates: c.Templates(), Jobs: c, Batches: c, Fonts: c.Fonts(), Secrets: c.Secrets(), Results: c.Results(), Now: c.Now,
		},
		own: farmv1.Farm{
			People: c.Directory, Invitations: c.Registry, Machines: c, Jobs: c, Batches: c, Tasks: c, Queue: c, Search: c.Search(), Failures: c, Reports: c, Projects: c, Presets: c, Policy: c, Status: c, Events: c, Backups: c,
			Cluster: c.Cluster(), Gossip: c.Gossip(), Authority: c, Templates: c.Templates(), Preflights: c, Previews: c.Previews(), Results: c.Results(), Secrets: c.Secrets(),
			Stored: c.StoredFiles(), Uploads: c.Uploads(), Fonts: c.Fonts(), Releases: c.Releases(), Rollouts: c, Downloads: c.Downloads(), Webhooks: c.Webhooks(), Notices: c.Notices(), Reviews: c.Reviews(), Audit: c.Audit(), PublicAddress: c.PublicAddress, Now: c.Now,
		},
		machines: agents.Farm{Machines: c.Registry, Sessions: c, Files: c, Results: c.Results(), Cluster: c.Cluster()},
		people:   c.Directory, audit: c.Audit(), lead: c, health: c, requests: c.Requests(), metrics: c.Metrics, publicAddress: c.PublicAddress,
	}
}
