// Package audit is who did what at the farm. What a command changes, that command notes by itself (raftstore/tables/apply_audit.go); here is what comes
// to no command: requests that were refused, tries to sign in that failed, and what only looks or asks another coordinator.
package audit

import (
	"context"
	"encoding/hex"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// writeEvery is how soon what was noted is in the state. What is noted meanwhile is lost if the process is killed.
	writeEvery = 5 * time.Second
	// mostWaiting bounds what waits to be written. Of more that happens only the number is kept, in the log.
	mostWaiting = 500
	// forgetGroup is how many records one command forgets at most.
	forgetGroup = 500
	// MostPage is how many records one answer has at most.
	MostPage = 500
)

// Log is the farm's audit log. Its methods may be called at the same time.
type Log struct {
	state *state.State
	keep  time.Duration
	log   *slog.Logger

	mu      sync.Mutex
	waiting []farm.AuditRecord
	lost    int
}

// New is the audit log that a state keeps. keep is for how long; 0 keeps as many records as farm.MostAudited.
func New(s *state.State, keep time.Duration, log *slog.Logger) *Log {
	return &Log{state: s, keep: keep, log: log}
}

// NoteRequest notes how a request ended that somebody made who is known, unless a command has noted it. Of those that were let through only those are worth a
// record that few may make.
func (l *Log) NoteRequest(by *state.Asker, action farm.Action, method string, err error) {
	refused := farm.CodeOf(err) == farm.CodeForbidden
	reads := (method == http.MethodGet || method == http.MethodHead) && action != farm.ActBackUp
	if by.Noted() || !refused && (reads || err != nil || !action.Grant().Least.Allows(farm.RoleOperator)) {
		return
	}
	record := farm.AuditRecord{Token: by.Token, Address: by.Address, Action: farm.AuditRequest, Thing: farm.AuditThing{Kind: "action", Name: string(action)}}
	if refused {
		record.Refused, record.Reason = farm.CodeForbidden, err.Error()
	}
	l.note(record)
}

// NoteFailedSignIn notes that somebody did not sign in. What they typed is not kept: it may be a password in the wrong field.
func (l *Log) NoteFailedSignIn(address string, err error) {
	l.note(farm.AuditRecord{Address: address, Action: farm.AuditSignInFailed, Refused: farm.CodeOf(err), Reason: "the name, password or secret is wrong, or there were too many tries"})
}

// note keeps a record until it is written. The same thing that happens again meanwhile is counted.
func (l *Log) note(record farm.AuditRecord) {
	record.At = l.state.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.waiting, func(r farm.AuditRecord) bool {
		return r.Token == record.Token && r.Address == record.Address && r.Action == record.Action && r.Thing == record.Thing && r.Refused == record.Refused
	})
	switch {
	case i >= 0:
		l.waiting[i].Times = max(1, l.waiting[i].Times) + 1
	case len(l.waiting) >= mostWaiting:
		l.lost++
	default:
		l.waiting = append(l.waiting, record)
	}
}

// Run writes down what was noted, once in a while, until ctx ends.
func (l *Log) Run(ctx context.Context) {
	interval.Every(ctx, writeEvery, func() {
		if err := l.Write(ctx); err != nil && ctx.Err() == nil {
			l.log.Warn("writing the audit log; it is tried again", "error", err)
		}
	})
}

// Write writes down what was noted. What cannot be written stays noted.
func (l *Log) Write(ctx context.Context) error {
	l.mu.Lock()
	records, lost := l.waiting, l.lost
	l.waiting, l.lost = nil, 0
	l.mu.Unlock()
	if lost > 0 {
		l.log.Warn("the audit log has no room for all that was refused", "left out", lost)
	}
	if len(records) == 0 {
		return nil
	}
	_, err := l.state.Apply(ctx, command.RecordAudit{Records: records})
	if err != nil {
		l.mu.Lock()
		l.waiting = append(records, l.waiting...)[:min(len(records)+len(l.waiting), mostWaiting)]
		l.mu.Unlock()
	}
	return err
}

// Read gives records that a query asks for, the newest first, and what Before has to be for those that follow; "" when there are no more. Administrators read
// what concerns their team, those of the farm all of it. CodeForbidden for others.
func (l *Log) Read(_ context.Context, p farm.Principal, q farm.AuditQuery) (records []farm.AuditRecord, next string, err error) {
	if err := p.May(farm.ActAudit); err != nil {
		return nil, "", err
	}
	if !p.Can(farm.ActManageTeams) {
		q.Team = p.Team
	}
	q.Limit = min(max(q.Limit, 1), MostPage)
	before, err := hex.DecodeString(q.Before)
	if err != nil {
		return nil, "", farm.Invalid("the page cannot be found", farm.Field("cursor", "was not given out by this farm; begin again without it"))
	}
	q.Before = string(before)
	err = l.state.View(func(tx *raftstore.Tx) error {
		records, next, err = tx.Audit(q)
		return err
	})
	for i := range records {
		records[i].ID = hex.EncodeToString([]byte(records[i].ID))
	}
	return records, hex.EncodeToString([]byte(next)), err
}

// Forget forgets the records whose time is over.
func (l *Log) Forget(ctx context.Context, now time.Time) error {
	if l.keep <= 0 {
		return nil
	}
	before := now.Add(-l.keep)
	for ctx.Err() == nil {
		more := false
		err := l.state.View(func(tx *raftstore.Tx) error {
			more = tx.AuditBefore(before)
			return nil
		})
		if err != nil || !more {
			return err
		}
		if _, err := l.state.Apply(ctx, command.ForgetAudit{Before: before, Limit: forgetGroup}); err != nil {
			return err
		}
	}
	return ctx.Err()
}
