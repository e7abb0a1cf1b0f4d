package notices

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Watch has the caller told when a job of their team has ended, by the ways of their settings, or no longer. CodeConflict for a job that has
// ended already.
func (n *Notices) Watch(ctx context.Context, p farm.Principal, job string, on bool) error {
	if err := p.May(farm.ActView); err != nil {
		return err
	}
	if _, err := n.state.JobOf(p, job); err != nil {
		return err
	}
	_, err := n.state.Apply(ctx, command.WatchJob{Team: p.Team, Job: job, Token: p.TokenID, Stop: !on})
	return err
}

// Watching is whether somebody is told when a job has ended.
type Watching struct {
	On   bool
	Told bool // their settings name a way to tell them
}

// Watches says whether the caller is told when a job has ended: not, for one that they could not watch.
func (n *Notices) Watches(_ context.Context, p farm.Principal, job string) (w Watching, err error) {
	err = n.state.View(func(tx *raftstore.Tx) error {
		token, err := tx.Token(p.TokenID)
		if err != nil {
			return err
		}
		settings, err := tx.NoticeSettings(token)
		if err != nil {
			return err
		}
		w.Told = settings.Mail || settings.Chat != nil
		w.On, err = tx.Watches(job, p.TokenID)
		return err
	})
	return w, err
}

// Shown is a notice as a browser shows it, in the language of its reader.
type Shown struct {
	Text farm.Text
	Path string // of what it is about, on the dashboard
	Tag  string // the same for notices about the same thing
}

// Show words a notice that an event names, for the caller. ok is false when it is for somebody else, of something that is gone, or within the
// caller's quiet hours.
func (n *Notices) Show(_ context.Context, p farm.Principal, id string) (s Shown, ok bool, err error) {
	token, notice, known := farm.ReadNoticeID(id)
	if !known || token != p.TokenID {
		return Shown{}, false, nil
	}
	var l line
	err = n.state.View(func(tx *raftstore.Tx) error {
		who, err := tx.Token(token)
		if err != nil {
			return err
		}
		settings, err := tx.NoticeSettings(who)
		if err != nil || !quietUntil(settings.Quiet, n.state.Now()).IsZero() {
			return err
		}
		l, err = n.lineOf(tx, who, notice)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return Shown{}, false, nil
	}
	return Shown{Text: l.text, Path: l.path, Tag: notice.Job + notice.Batch + notice.Project}, err == nil && !l.text.IsZero(), err
}
