package delivery

import (
	"testing"
	"time"

	"overcrank/farm"
)

func TestWebhookBegunAnewWhileInHandIsNotForgotten(t *testing.T) {
	at := time.Unix(1_000, 0)
	o := NewOutbox(func() time.Time { return at }, nil)
	job := farm.Job{ID: "j", Webhook: &farm.Webhook{URL: "https://hook.example/x"}}
	o.Add(job, at, 0)
	w := o.later[0]
	o.later = o.later[:0]
	o.line(w)
	r := o.hosts[w.host]
	r.due, r.inHands, o.inHands = nil, 1, 1 // as start takes it in hand
	o.Add(job, at.Add(time.Second), 1)
	o.done(w, time.Time{})
	if len(o.later) != 1 || !o.later[0].due.Equal(at.Add(time.Second)) || !o.known["j"] {
		t.Errorf("left are %+v, known %v", o.later, o.known)
	}
	o.later = o.later[:0]
	o.line(w)
	r = o.hosts[w.host]
	r.due, r.inHands, o.inHands = nil, 1, 1
	o.done(w, time.Time{})
	if len(o.later) != 0 || len(o.known) != 0 || len(o.hosts) != 0 || len(o.again) != 0 {
		t.Errorf("something is left: %+v", o)
	}
}

func TestReceiversAreToldApartByHost(t *testing.T) {
	for address, want := range map[string]string{
		"https://Hook.example/a?b": "hook.example", "http://u:p@hook.example:81/": "hook.example:81", "https://${secrets.HOST}/x": "${secrets.host}",
		"${secrets.HOOK}": "${secrets.hook}", "https://[::1]:9/x": "[::1]:9",
	} {
		if got := hostOf(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
