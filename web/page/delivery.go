package page

import (
	"strings"

	"overcrank/farm"
	"overcrank/web/language"
)

// deliveryState is how the call of a job's webhook is shown.
func deliveryState(d farm.Delivery) State {
	switch {
	case d.EndedAt.IsZero() && d.Tries == 0:
		return State{language.Text("pending"), "waiting"}
	case d.EndedAt.IsZero():
		return State{language.Text("retrying"), "rendering"}
	case d.Error != "":
		return State{language.Text("given up"), "error"}
	}
	return State{language.Text("delivered"), "finished"}
}

// remoteWords say where a result lies that was uploaded.
func remoteWords(r farm.RemoteObject) string {
	return strings.TrimSuffix(r.Bucket, "/") + "/" + r.Key
}
