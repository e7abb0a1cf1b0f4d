package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/redact"
	"overcrank/farm/wording"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// keepAgainAfter is when a try is made again whose outcome could not be kept.
const keepAgainAfter = 30 * time.Second

// Farm is what deliveries need to know of the farm, and tell it.
type Farm interface {
	// RevealWebhook gives a job's webhook with the values of secrets in it, and what conceals them.
	RevealWebhook(job farm.Job) (farm.Webhook, *redact.Redactor, error)
	// DescribeEnded is a job that has ended as the public interface shows it, with the webhook's data.
	DescribeEnded(job farm.Job, hook farm.Webhook) ([]byte, error)
	// Note adds lines to a job's log.
	Note(job string, lines ...string)
	// WebhookTried is told of each try of a job's webhook.
	WebhookTried(job farm.Job, well bool)
}

// Webhooks delivers what is owed and keeps what came of it.
type Webhooks struct {
	farm    Farm
	state   *state.State
	caller  *Caller
	derive  func(purpose string, size int) []byte
	version string
	log     *slog.Logger
}

// NewWebhooks makes them ready. derive makes keys of the farm's key: what teams' webhooks are signed with; version is this program's, told to receivers.
func NewWebhooks(f Farm, s *state.State, caller *Caller, derive func(purpose string, size int) []byte, version string, log *slog.Logger) *Webhooks {
	return &Webhooks{farm: f, state: s, caller: caller, derive: derive, version: version, log: log}
}

// Owed hands on every job whose webhook is owed, with when it is due and how many tries were made.
func (d *Webhooks) Owed(visit func(job farm.Job, due time.Time, tries int)) error {
	var list []farm.Delivery
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.DeliveriesOwed()
		return err
	})
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(list, 500) {
		err := d.state.View(func(tx *raftstore.Tx) error {
			for _, owed := range chunk {
				job, err := tx.Job(owed.ID)
				if err != nil {
					return err
				}
				visit(job, owed.Next, owed.Tries)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Try makes one try of a job's webhook and keeps what came of it. next is when to try again, zero for never. A try
// that ends because this node stops counts for nothing: whoever leads next makes it again.
func (d *Webhooks) Try(ctx context.Context, id string) (next time.Time) {
	var owed farm.Delivery
	var job farm.Job
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		if owed, err = tx.Delivery(id); err != nil {
			return err
		}
		job, err = tx.Job(id)
		return err
	})
	switch {
	case farm.CodeOf(err) == farm.CodeNotFound:
		return time.Time{}
	case err != nil:
		d.log.Error("reading a webhook that is owed", "job", id, "error", err)
		return d.state.Now().Add(keepAgainAfter)
	case !owed.EndedAt.IsZero():
		return time.Time{}
	case owed.Next.After(d.state.Now()) && !owed.Next.After(d.state.Now().Add(longestAfter(owed.Tries))):
		return owed.Next
	}
	status, failed := d.call(ctx, job)
	if ctx.Err() != nil {
		return time.Time{}
	}
	now := d.state.Now()
	cmd := command.RecordTry{ID: id, Round: owed.Round, Try: owed.Tries + 1, At: now}
	if failed != nil {
		cmd.Error, cmd.GiveUp, cmd.Next = failed.reason, failed.final, now.Add(retryAfter(owed.Tries))
	}
	last := cmd.Error == "" || cmd.GiveUp || cmd.Try > farm.DeliveryRetries
	if _, err := d.state.Apply(ctx, cmd); err != nil {
		d.log.Warn("the outcome of a webhook could not be kept; it is delivered again", "job", id, "error", err)
		return d.state.Now().Add(keepAgainAfter)
	}
	switch {
	case failed == nil:
		d.farm.Note(id, fmt.Sprintf("webhook: delivered, the receiver answered %d", status))
	case last:
		d.farm.Note(id, fmt.Sprintf("webhook: given up after try %d: %s", cmd.Try, failed.reason))
	default:
		d.farm.Note(id, fmt.Sprintf("webhook: try %d failed: %s; the next one is at %s", cmd.Try, failed.reason, wording.UTC(cmd.Next)))
	}
	d.farm.WebhookTried(job, failed == nil)
	if last {
		return time.Time{}
	}
	return cmd.Next
}

// call calls the webhook of a job that has ended, once. It gives the receiver's status when that has taken it.
func (d *Webhooks) call(ctx context.Context, job farm.Job) (status int, failed *failure) {
	req, secrets, err := d.request(ctx, job)
	if err != nil {
		return 0, &failure{reason: secrets.String(callReason(err)), final: hopeless(err)}
	}
	return d.caller.call(req, secrets)
}

// Delivery tells how the webhook of a job of the caller's team stands; CodeNotFound when none is owed for it.
func (d *Webhooks) Delivery(p farm.Principal, id string) (farm.Delivery, error) {
	job, err := d.state.JobOf(p, id)
	if err != nil {
		return farm.Delivery{}, err
	}
	var owed farm.Delivery
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		owed, err = tx.Delivery(id)
		return err
	})
	if farm.CodeOf(err) != farm.CodeNotFound {
		return owed, err
	}
	switch {
	case job.Webhook == nil:
		return owed, farm.Errorf(farm.CodeNotFound, "job %s has no webhook", id)
	case !job.Status.Ended():
		return owed, farm.Errorf(farm.CodeNotFound, "the webhook of job %s is called when the job has finished or failed; it is %s", id, job.Status)
	default:
		return owed, farm.Errorf(farm.CodeNotFound, "the webhook of job %s is not called: the job is %s", id, job.Status)
	}
}

// Redeliver calls a webhook again whose delivery has ended, well or not.
func (d *Webhooks) Redeliver(ctx context.Context, p farm.Principal, id string) (farm.Delivery, error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return farm.Delivery{}, err
	}
	if _, err := d.Delivery(p, id); err != nil {
		return farm.Delivery{}, err
	}
	if _, err := d.state.Apply(ctx, command.Redeliver{Team: p.Team, ID: id, At: d.state.Now()}); err != nil {
		return farm.Delivery{}, err
	}
	d.farm.Note(id, "webhook: called again, as "+p.Name+" asked")
	return d.Delivery(p, id)
}
