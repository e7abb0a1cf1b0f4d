package coordinator

import (
	"cmp"

	"overcrank/coordinator/delivery"
	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/redact"
)

// hooks is what deliveries know of this coordinator.
type hooks struct{ c *Coordinator }

var _ delivery.Farm = hooks{}

// DescribeEnded is a job as the public interface shows it, with the webhook's data.
func (h hooks) DescribeEnded(job farm.Job, hook farm.Webhook) ([]byte, error) {
	if err := h.c.AddProgress(&job); err != nil {
		return nil, err
	}
	return h.c.cfg.DescribeJob(job, results.Address(cmp.Or(hook.Farm, h.c.PublicAddress()), job), hook.Data)
}

// RevealWebhook gives a job's webhook with the values of its secrets.
func (h hooks) RevealWebhook(job farm.Job) (farm.Webhook, *redact.Redactor, error) {
	return h.c.secrets.RevealWebhook(job)
}

// Note adds lines to a job's log.
func (h hooks) Note(job string, lines ...string) { h.c.logs.Note(job, lines...) }

// WebhookTried counts a try, and tells those who watch the job.
func (h hooks) WebhookTried(job farm.Job, well bool) {
	h.c.metrics.webhooks.WithLabelValues(resultOf(well)).Inc()
	h.c.hub.Spread(farm.Event{Kind: farm.EventJob, Team: job.Team, ID: job.ID})
}
