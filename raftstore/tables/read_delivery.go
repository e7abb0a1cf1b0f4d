package tables

import "overcrank/farm"

// Delivery reads what is known of the webhook of a job.
func (tx *Tx) Delivery(job string) (farm.Delivery, error) {
	delivery, ok := get[farm.Delivery](tx.t, bucketDeliveries, job)
	return found(tx, delivery, ok, "webhook of job", job)
}

// DeliveriesOwed reads all deliveries that have not ended, the next one to try first.
func (tx *Tx) DeliveriesOwed() ([]farm.Delivery, error) {
	var owed []farm.Delivery
	for _, key := range tx.t.keysUnder(bucketDeliveriesDue, "") {
		delivery, err := tx.Delivery(key[timeKeySize:])
		if err != nil {
			return nil, err
		}
		owed = append(owed, delivery)
	}
	return owed, nil
}

// WebhookSalt reads what, with the farm's key, makes the key of a team's webhooks; "" for the first one.
func (tx *Tx) WebhookSalt(team string) (string, error) {
	return tx.t.lookup(bucketWebhookKeys, team), tx.t.err
}
