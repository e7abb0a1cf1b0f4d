package notices

import (
	"context"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// pauseBehind follows each message: what happens until then goes out in one.
	pauseBehind = 30 * time.Second
	// lookAgain bounds how long a queue that is not due is left alone, so that settings that change, and clocks that are set, are noticed.
	lookAgain = time.Minute
)

// pauses follow each failed try of a message, so it is given up after half a day: mail servers are down for hours, and what is older helps nobody.
var pauses = []time.Duration{15 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour}

// Owed hands on every queue that has something to send: its name, the host that it goes to, and when it is due.
func (n *Notices) Owed(visit func(id, host string, due time.Time)) error {
	var owed []farm.NoticeQueue
	err := n.state.View(func(tx *raftstore.Tx) (err error) {
		owed, err = tx.NoticesOwed()
		return err
	})
	for _, queue := range owed {
		n.Owe(command.NoticeQueue{Token: queue.Token, Way: queue.Way}, visit)
	}
	return err
}

// Owe hands on a queue that has something to send.
func (n *Notices) Owe(queue command.NoticeQueue, visit func(id, host string, due time.Time)) {
	host := string(queue.Way)
	if queue.Way == farm.ByChat {
		if who, _, err := n.read(queue); err == nil && who.settings.Chat != nil {
			host = who.settings.Chat.Host
		}
	}
	visit(queue.Token+" "+string(queue.Way), host, n.state.Now())
}

// Try sends what waits in a queue, if it is due, and keeps what came of it. next is when to look at it again, zero for when something is added. A
// try that ends because this node stops counts for nothing: whoever leads next makes it again.
func (n *Notices) Try(ctx context.Context, id string) (next time.Time) {
	token, way, _ := strings.Cut(id, " ")
	who, queue, err := n.read(command.NoticeQueue{Token: token, Way: farm.NoticeWay(way)})
	now := n.state.Now()
	switch {
	case farm.CodeOf(err) == farm.CodeNotFound:
		return time.Time{}
	case err != nil:
		n.cfg.Logger.Error("reading what somebody is to be told", "person", token, "error", err)
		return now.Add(lookAgain)
	case len(queue.Waiting) == 0:
		return time.Time{}
	}
	if due := n.due(who.settings, queue, now); due.After(now) {
		return earlier(due, now.Add(lookAgain))
	}
	cmd := command.RecordNotice{Token: token, Way: queue.Way, Number: queue.Number, Try: queue.Tries + 1, Count: len(queue.Waiting), More: queue.More}
	m, err := n.compose(who.Token, queue)
	if err == nil && len(m.lines) > 0 { // of what is gone meanwhile nobody is told
		err = n.send(ctx, who, queue.Way, m)
	}
	if ctx.Err() != nil {
		return time.Time{}
	}
	cmd.At = n.state.Now()
	cmd.Next = cmd.At.Add(pauseBehind)
	if err != nil {
		cmd.Error, cmd.GiveUp = err.Error(), queue.Tries >= len(pauses)
		if !cmd.GiveUp {
			cmd.Next = cmd.At.Add(pauses[queue.Tries])
		}
		n.cfg.Logger.Warn("somebody could not be told of what happened", "person", token, "way", way, "try", cmd.Try, "given up", cmd.GiveUp, "error", err)
	}
	if _, err := n.state.Apply(ctx, cmd); err != nil {
		n.cfg.Logger.Warn("it could not be kept that somebody was told; it is sent again", "person", token, "way", way, "error", err)
	}
	return earlier(cmd.Next, cmd.At.Add(lookAgain))
}

// due is when a queue may be sent. A time of the state is believed only as far as a pause can last: it may be of a clock that was set back since.
func (n *Notices) due(settings farm.NoticeSettings, queue farm.NoticeQueue, now time.Time) time.Time {
	due := earlier(queue.Next, now.Add(pauses[len(pauses)-1]))
	if quiet := quietUntil(settings.Quiet, now); quiet.After(due) {
		return quiet
	}
	return due
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// read gives what is known of a queue and of whom it is for. CodeNotFound when one of these is gone, or the way is no longer wanted.
func (n *Notices) read(name command.NoticeQueue) (who addressee, queue farm.NoticeQueue, err error) {
	err = n.state.View(func(tx *raftstore.Tx) (err error) {
		if who, err = n.addressee(tx, name.Token); err != nil {
			return err
		}
		queue, err = tx.Notices(name.Token, name.Way)
		return err
	})
	if err == nil && (!who.settings.Uses(name.Way) || !who.Usable(n.state.Now())) {
		err = errGone
	}
	return who, queue, err
}
