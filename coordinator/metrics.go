package coordinator

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// gatherWithin bounds how long a reading of the metrics waits for what only the leader knows.
const gatherWithin = time.Second

// metrics are what this node measures of the farm and of itself, for Prometheus. Counters count what this node has seen since
// it started; every node sees all commands, so they are read of one node, or compared between nodes.
type metrics struct {
	registry *prometheus.Registry

	commands *prometheus.CounterVec // result
	tasks    *prometheus.CounterVec // status
	leases   prometheus.Counter
	waits    prometheus.Histogram
	failures *prometheus.CounterVec // class
	webhooks *prometheus.CounterVec // result
}

// Webhook tries, and commands, come to one of these.
const (
	resultDone    = "done"
	resultFailed  = "failed"
	resultRefused = "refused"
)

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		commands: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "overcrank_commands_total", Help: "Changes of the farm's state that this node has applied, by whether the rules refused them.",
		}, []string{"result"}),
		tasks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "overcrank_tasks_total", Help: "Moves of tasks, by the status that they came to.",
		}, []string{"status"}),
		leases: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "overcrank_leases_total", Help: "Leases granted by this node while it led.",
		}),
		waits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "overcrank_lease_wait_seconds", Help: "How long tasks had been ready when this node leased them.",
			Buckets: []float64{.005, .02, .05, .1, .5, 1, 5, 30, 60, 300, 1800, 7200, 28800, 86400},
		}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "overcrank_attempt_failures_total", Help: "Attempts that failed, by class of failure, as this node heard while it led.",
		}, []string{"class"}),
		webhooks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "overcrank_webhook_tries_total", Help: "Tries to deliver a webhook, by this node.",
		}, []string{"result"}),
	}
	// Counters begin at 0: what rises from nothing to 1 is no increase to those who watch it.
	for _, class := range farm.FailureClasses {
		m.failures.WithLabelValues(string(class))
	}
	for _, result := range []string{resultDone, resultFailed} {
		m.webhooks.WithLabelValues(result)
	}
	m.registry.MustRegister(m.commands, m.tasks, m.leases, m.waits, m.failures, m.webhooks,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// applied counts what a command came to.
func (m *metrics) applied(res *command.Result) {
	if res.Refused != nil {
		m.commands.WithLabelValues(resultRefused).Inc()
		return
	}
	m.commands.WithLabelValues(resultDone).Inc()
	for i := range res.Tasks {
		m.tasks.WithLabelValues(string(res.Tasks[i].Status)).Inc()
	}
}

// Leased counts a lease that this node granted.
func (m *metrics) Leased(t schedule.Task, now time.Time) {
	m.leases.Inc()
	ready := t.Created
	if t.NotBefore.After(ready) {
		ready = t.NotBefore
	}
	m.waits.Observe(max(now.Sub(ready), 0).Seconds())
}

// AttemptFailed counts an attempt that failed.
func (m *metrics) AttemptFailed(class farm.FailureClass) {
	m.failures.WithLabelValues(string(class)).Inc()
}

// Metrics is what this node measures. More may be registered.
func (c *Coordinator) Metrics() *prometheus.Registry { return c.metrics.registry }

// The gauges are read when they are asked for.
var (
	infoGauge      = gauge("build_info", "This node's program; always 1.", "version", "node")
	leadsGauge     = gauge("raft_leads", "Whether this node leads the farm.")
	leaderGauge    = gauge("raft_has_leader", "Whether this node knows of a leader.")
	termGauge      = gauge("raft_term", "Raft's term.")
	lastGauge      = gauge("raft_last_index", "Index of the newest entry of this node's log.")
	committedGauge = gauge("raft_committed_index", "Index up to which this node knows the log to be committed.")
	appliedGauge   = gauge("raft_applied_index", "Index of the newest entry in this node's state.")
	membersGauge   = gauge("raft_members", "Coordinators of the farm, by whether they vote.", "voter")
	stateGauge     = gauge("state_bytes", "Size of this node's state file.")
	breachesGauge  = counter("state_breaches_total", "Changes that would have broken the farm's state, and were refused or set right, as this node met them since it started.")
	printGauge     = gauge("state_hash", "First 52 bits of the hash over all rows that were written up to state_hash_index; nodes at one index must show the same.")
	printAtGauge   = gauge("state_hash_index", "Index of state_hash: the newest multiple of 256 that this node has passed, 0 before there is one.")
	differsGauge   = gauge("state_differs", "Whether this node's state is not that of the other coordinators.")
	rebuildsGauge  = counter("state_rebuilds_total", "Times that this node's state file was found damaged and made again, since the start.")
	verifiedGauge  = gauge("state_verified_timestamp_seconds", "When this node's whole state file was last looked through and found to hold what was written to it.")
	syncsGauge     = counter("log_syncs_total", "Writes of the log that this node's disk has taken.")
	syncTimeGauge  = counter("log_sync_seconds_total", "Time that they took.")
	syncWorstGauge = gauge("log_sync_worst_seconds", "The slowest of the last minute.")
	checkGauge     = gauge("check_ok", "Whether a check of /readyz is well.", "check")
	warnGauge      = gauge("check_warns", "Whether a check of /readyz asks for care though work is taken.", "check")
	freeGauge      = gauge("disk_free_bytes", "Space left on a disk that this node writes to.", "check", "path")
	needGauge      = gauge("disk_reserve_bytes", "Space below which this node takes no changes.", "check", "path")
	moveFilesGauge = gauge("storage_move_files_left", "Files of the data folder that are still to be moved to the farm's storage.")
	moveBytesGauge = gauge("storage_move_bytes_left", "Their size.")
	hungGauge      = gauge("storage_calls_hung", "Calls to the farm's storage that nobody waits for any more and that have not come back.")
	jobsGauge      = gauge("jobs", "Jobs of all teams that the farm knows, by status.", "status")
	readyGauge     = gauge("queue_ready_tasks", "Tasks that wait for a machine.")
	leasedGauge    = gauge("leases", "Tasks that machines work on.")
	slotsGauge     = gauge("slots", "Tasks that the machines here could work on at once.")
	machinesGauge  = gauge("machines", "Machines, by state.", "state")
	owedGauge      = gauge("webhooks_owed", "Webhooks that have not been delivered yet.")
	updatesGauge   = gauge("updates_stopped", "Whether a release was stopped on its way to the machines, because one of them rolled it back.")
	callersGauge   = gauge("callers_open", "What callers have under way at this node, by what is bounded.", "what")
	refusedGauge   = counter("callers_refused_total", "What this node refused since one caller, or all, had as much under way as may be.", "what")
	watchersGauge  = gauge("watchers", "Browsers and programs that follow events at this node.")
)

const namespace = "overcrank_"

type described struct {
	*prometheus.Desc
	kind prometheus.ValueType
}

func gauge(name, help string, labels ...string) described {
	return described{prometheus.NewDesc(namespace+name, help, labels, nil), prometheus.GaugeValue}
}

func counter(name, help string, labels ...string) described {
	return described{prometheus.NewDesc(namespace+name, help, labels, nil), prometheus.CounterValue}
}

// gauges reads the gauges of a coordinator.
type gauges struct{ c *Coordinator }

// Describe says nothing beforehand: which labels there are depends on the farm.
func (gauges) Describe(chan<- *prometheus.Desc) {}

// Collect reads all of them.
func (g gauges) Collect(out chan<- prometheus.Metric) {
	put := func(d described, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d.Desc, d.kind, value, labels...)
	}
	g.node(put)
	g.farm(put)
}

type putMetric func(d described, value float64, labels ...string)

// node reads what this node knows of itself.
func (g gauges) node(put putMetric) {
	c := g.c
	put(infoGauge, 1, c.cfg.Version, c.store.ID())
	leader, _ := c.store.Leader()
	put(leadsGauge, oneIf(leader == c.store.ID()))
	put(leaderGauge, oneIf(leader != ""))
	progress := c.store.Progress()
	put(termGauge, float64(progress.Term))
	put(lastGauge, float64(progress.Last))
	put(committedGauge, float64(progress.Committed))
	put(appliedGauge, float64(progress.State))
	if members, _, err := c.store.Members(); err == nil {
		voters := 0
		for _, m := range members {
			if m.Voter {
				voters++
			}
		}
		put(membersGauge, float64(voters), "yes")
		put(membersGauge, float64(len(members)-voters), "no")
	}
	put(stateGauge, float64(c.store.Size()))
	put(breachesGauge, float64(c.store.Breaches().Count))
	whole := c.store.Integrity()
	put(rebuildsGauge, float64(whole.Rebuilds))
	if !whole.Verified.IsZero() {
		put(verifiedGauge, float64(whole.Verified.Unix()))
	}
	index, print := c.store.Mark()
	put(printGauge, printNumber(print))
	put(printAtGauge, float64(index))
	put(differsGauge, oneIf(c.cluster.Differs()))
	syncs := c.store.SyncTimes()
	put(syncsGauge, float64(syncs.Count))
	put(syncTimeGauge, syncs.Total.Seconds())
	put(syncWorstGauge, syncs.Worst.Seconds())
	for _, check := range c.Checks() {
		put(checkGauge, oneIf(check.Err == nil), check.Name)
		put(warnGauge, oneIf(check.Warn), check.Name)
		if check.Disk != nil {
			put(freeGauge, float64(check.Disk.Free), check.Name, check.Disk.Path)
			put(needGauge, float64(check.Disk.Need), check.Name, check.Disk.Path)
		}
	}
	move, _ := c.storage.Move()
	put(moveFilesGauge, float64(move.FilesLeft))
	put(moveBytesGauge, float64(move.BytesLeft))
	put(hungGauge, float64(c.storage.Hung()))
	put(watchersGauge, float64(c.hub.Count()))
	put(refusedGauge, float64(c.results.ThumbnailsRefused()), "thumbnails")
	for what, gate := range c.cfg.Gates {
		put(callersGauge, float64(gate.Open()), what)
		put(refusedGauge, float64(gate.Refused()), what)
	}
}

// farm reads what is the same on every node: of the state, and of the leader's memory where there is a leader.
func (g gauges) farm(put putMetric) {
	jobs, stopped := map[farm.JobStatus]int{}, false
	err := g.c.state.View(func(tx *raftstore.Tx) error {
		teams, err := tx.Teams()
		if err != nil {
			return err
		}
		for _, team := range teams {
			counts, err := tx.CountJobs(team.ID)
			if err != nil {
				return err
			}
			for status, n := range counts {
				jobs[status] += n
			}
		}
		u, err := tx.Updates()
		stopped = u.Stopped != nil
		return err
	})
	if err != nil {
		g.c.log.Error("reading the farm's state for its metrics", "error", err)
		return
	}
	for status, n := range jobs {
		put(jobsGauge, float64(n), string(status))
	}
	put(updatesGauge, oneIf(stopped))

	ctx, cancel := context.WithTimeout(g.c.ctx, gatherWithin)
	defer cancel()
	now, err := g.c.Summary(ctx, false)
	if err != nil {
		return // raft_has_leader says why
	}
	if now.Read {
		put(readyGauge, float64(now.Ready))
	}
	put(leasedGauge, float64(now.Leased))
	put(slotsGauge, float64(now.Slots))
	put(owedGauge, float64(now.Owed))
	for state, n := range now.Machines {
		put(machinesGauge, float64(n), string(state))
	}
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func resultOf(well bool) string {
	if well {
		return resultDone
	}
	return resultFailed
}

// printNumber is the beginning of a fingerprint as a number that a metric holds exactly.
func printNumber(fingerprint string) float64 {
	n, _ := strconv.ParseUint(fingerprint[:min(len(fingerprint), printDigits)], 16, 64)
	return float64(n)
}

const printDigits = 13 // hexadecimal, of 52 bits
