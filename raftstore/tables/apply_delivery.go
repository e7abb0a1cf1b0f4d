package tables

import (
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// oweDelivery notes that the webhook of a job that has finished or failed is to be called. Cancelled jobs call none.
func (t *tables) oweDelivery(job farm.Job) {
	if job.Webhook == nil || job.Status != farm.JobFinished && job.Status != farm.JobFailed {
		return
	}
	t.saveDelivery(farm.Delivery{ID: job.ID, Team: job.Team, Next: endOf(job)})
}

// recordTry accepts the same report again, as it comes when an answer was lost.
func (t *tables) recordTry(c command.RecordTry) command.Result {
	delivery, err := t.deliveryOf(c.ID)
	switch {
	case err != nil:
		return refuse(err)
	case c.Round == delivery.Round && c.Try <= delivery.Tries:
		return command.Result{}
	case c.Round != delivery.Round || c.Try != delivery.Tries+1 || !delivery.EndedAt.IsZero():
		return refusef(farm.CodeConflict, "the webhook of job %s has gone on without this try", c.ID)
	}
	t.unsaveDelivery(delivery)
	delivery.Tries, delivery.Error, delivery.TriedAt = c.Try, c.Error, c.At
	if c.Error == "" || c.GiveUp || c.Try > farm.DeliveryRetries {
		delivery.Next, delivery.EndedAt = time.Time{}, c.At
	} else {
		delivery.Next = c.Next
	}
	t.saveDelivery(delivery)
	return command.Result{}
}

// redeliver begins a delivery that has ended anew.
func (t *tables) redeliver(c command.Redeliver) command.Result {
	delivery, err := t.deliveryOf(c.ID)
	switch {
	case err != nil:
		return refuse(err)
	case delivery.Team != c.Team:
		return refuse(noDelivery(c.ID))
	case delivery.EndedAt.IsZero():
		return refusef(farm.CodeConflict, "the webhook of job %s is being delivered already", c.ID)
	}
	job, ok := t.job(c.ID)
	switch {
	case !ok:
		return refuse(noJob(c.ID))
	case !job.RedactedAt.IsZero():
		return refusef(farm.CodeGone, "the webhook of job %s is no longer kept: its addresses were redacted", c.ID)
	}
	t.saveDelivery(farm.Delivery{ID: delivery.ID, Team: delivery.Team, Round: delivery.Round + 1, Next: c.At})
	return command.Result{Owed: []string{c.ID}}
}

// renewWebhookKey ends the key with which a team's webhooks were signed.
func (t *tables) renewWebhookKey(c command.RenewWebhookKey) command.Result {
	if !t.has(bucketTeams, c.Team) {
		return refusef(farm.CodeNotFound, "team %q does not exist", c.Team)
	}
	if err := checkID("webhook key's salt", c.Salt); err != nil {
		return refuse(err)
	}
	t.set(bucketWebhookKeys, c.Team, []byte(c.Salt))
	return command.Result{}
}

func (t *tables) deliveryOf(id string) (farm.Delivery, *farm.Error) {
	delivery, ok := get[farm.Delivery](t, bucketDeliveries, id)
	if !ok {
		return delivery, noDelivery(id)
	}
	return delivery, nil
}

// saveDelivery writes a delivery and, while it is owed, its place among those to be tried.
func (t *tables) saveDelivery(delivery farm.Delivery) {
	put(t, bucketDeliveries, delivery.ID, delivery)
	if delivery.EndedAt.IsZero() {
		t.set(bucketDeliveriesDue, timeKey(delivery.Next)+delivery.ID, nil)
	}
}

// unsaveDelivery takes a delivery's place from among those to be tried.
func (t *tables) unsaveDelivery(delivery farm.Delivery) {
	if delivery.EndedAt.IsZero() {
		t.remove(bucketDeliveriesDue, timeKey(delivery.Next)+delivery.ID)
	}
}

// dropDelivery forgets what is known of a job's webhook.
func (t *tables) dropDelivery(job string) {
	if delivery, ok := get[farm.Delivery](t, bucketDeliveries, job); ok {
		t.unsaveDelivery(delivery)
		t.remove(bucketDeliveries, job)
	}
}

func noDelivery(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "no webhook is owed for job %q", id)
}
