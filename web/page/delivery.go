package page

import (
	"strings"

	"overcrank/farm"
)

// deliveryState is how the call of a job's webhook is shown.
func deliveryState(d farm.Delivery) State {
	switch {
	case d.EndedAt.IsZero() && d.Tries == 0:
		return State{"Pending", "waiting"}
	case d.EndedAt.IsZero():
		return State{"Retrying", "rendering"}
	case d.Error != "":
		return State{"Given up", "error"}
	}
	return State{"Delivered", "finished"}
}

// remoteWords say where a result lies that was uploaded.
func remoteWords(r farm.RemoteObject) string {
	return strings.TrimSuffix(r.Bucket, "/") + "/" + r.Key
}
