package enrolment

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"strings"
	"time"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	joinTokenPrefix = "ocj_" // tells people, and programs that search for leaked secrets, what it is
	// InvitationLife is how long an invitation is good unless somebody says otherwise.
	InvitationLife = 24 * time.Hour
	ownLife        = 10 * time.Minute
	longestInvite  = 366 * 24 * time.Hour
	mostInvited    = 10_000
	mostTags       = 50
	longestTag     = 100 // bytes
	// InvitedFor is how long an invitation stays listed when its time is over, so that somebody can look who came with it.
	InvitedFor = 7 * 24 * time.Hour
)

// NewJoinToken is what somebody asks for who invites machines.
type NewJoinToken struct {
	Name      string    // whom or what it is for
	Uses      int       // machines that may come with it; 0 means 1
	ExpiresAt time.Time // zero means in a day
	Tags      []string  // that the machines get
}

// Invite makes a join token and gives its text, which is kept nowhere. CodeForbidden unless the caller is an administrator
// of the farm.
func (r *Registry) Invite(ctx context.Context, p farm.Principal, in NewJoinToken) (farm.JoinToken, string, error) {
	if err := p.May(farm.ActInviteMachines); err != nil {
		return farm.JoinToken{}, "", err
	}
	return r.invite(ctx, p.Name, in)
}

// InviteOwn makes a join token for an agent that the farm's own program starts beside it.
func (r *Registry) InviteOwn(ctx context.Context) (string, error) {
	_, text, err := r.invite(ctx, "overcrank up", NewJoinToken{Name: "the agent beside this coordinator", ExpiresAt: r.state.Now().Add(ownLife)})
	return text, err
}

func (r *Registry) invite(ctx context.Context, by string, in NewJoinToken) (farm.JoinToken, string, error) {
	now := r.state.Now()
	in.Uses = cmp.Or(in.Uses, 1)
	if in.ExpiresAt.IsZero() {
		in.ExpiresAt = now.Add(InvitationLife)
	}
	if err := CheckInvitation(in, now); err != nil {
		return farm.JoinToken{}, "", err
	}
	id, err := r.state.NewID()
	if err != nil {
		return farm.JoinToken{}, "", err
	}
	secret := seal.NewSecret(joinTokenPrefix)
	token := farm.JoinToken{
		ID: id, Name: in.Name, Hash: seal.HashSecret(secret), Tags: in.Tags, Uses: in.Uses, Left: in.Uses,
		CreatedBy: by, CreatedAt: now, ExpiresAt: in.ExpiresAt,
	}
	if _, err := r.state.Apply(ctx, command.PutJoinToken{Token: token}); err != nil {
		return farm.JoinToken{}, "", err
	}
	r.log.Info("machines were invited", "invitation", id, "name", token.Name, "uses", token.Uses, "expires", token.ExpiresAt, "by", by)
	return token, wire.JoinToken{Secret: secret, Authority: r.authority.Fingerprint()}.String(), nil
}

// CheckInvitation says what is wrong with an invitation.
func CheckInvitation(in NewJoinToken, now time.Time) error {
	var wrong []farm.FieldError
	field := func(name, message string, args ...any) { wrong = append(wrong, farm.Field(name, message, args...)) }
	if in.Name != "" && !names.IsTitle(in.Name) {
		field("name", names.TitleWords)
	}
	if in.Uses < 1 || in.Uses > mostInvited {
		field("uses", "has to be from 1 to %d", mostInvited)
	}
	switch left := in.ExpiresAt.Sub(now); {
	case left <= 0:
		field("expiresAt", "has passed already")
	case left > longestInvite:
		field("expiresAt", "has to be within a year")
	}
	if len(in.Tags) > mostTags {
		field("tags", "may be %d at most", mostTags)
	}
	for i, tag := range in.Tags {
		if strings.TrimSpace(tag) == "" || len(tag) > longestTag {
			field(fmt.Sprintf("tags[%d]", i), "must have 1 to %d bytes", longestTag)
		}
	}
	if len(wrong) > 0 {
		return farm.Invalid("the invitation cannot be made", wrong...)
	}
	return nil
}

// JoinTokens lists the invitations by age.
func (r *Registry) JoinTokens(_ context.Context, p farm.Principal) ([]farm.JoinToken, error) {
	if err := p.May(farm.ActInviteMachines); err != nil {
		return nil, err
	}
	var list []farm.JoinToken
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.JoinTokens()
		return err
	})
	return list, err
}

// RevokeJoinToken takes an invitation back, at once and everywhere; machines that have come with it stay.
func (r *Registry) RevokeJoinToken(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActInviteMachines); err != nil {
		return err
	}
	if _, err := r.state.Apply(ctx, command.RevokeJoinToken{ID: id}); err != nil {
		return err
	}
	r.log.Info("an invitation was revoked", "invitation", id, "by", p.Name)
	return nil
}

// CheckJoinToken is nil for the secret of an invitation that this farm has made, CodeUnauthorized otherwise. Whether it still
// lets somebody in is decided by Enrol.
func (r *Registry) CheckJoinToken(secret string) error {
	hash := seal.HashSecret(secret)
	var token farm.JoinToken
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		token, err = tx.JoinTokenByHash(hash)
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return err
	}
	if err != nil || subtle.ConstantTimeCompare([]byte(token.Hash), []byte(hash)) != 1 {
		return farm.Errorf(farm.CodeUnauthorized, "this farm has made no such join token, or it was revoked; ask for another (overcrank agents invite)")
	}
	return nil
}

// ForgetInvitations drops invitations whose time has long been over.
func (r *Registry) ForgetInvitations(ctx context.Context) error {
	before := r.state.Now().Add(-InvitedFor)
	var list []farm.JoinToken
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.JoinTokens()
		return err
	})
	if err != nil {
		return err
	}
	for _, token := range list {
		if token.Expired(before) {
			_, err := r.state.Apply(ctx, command.ForgetInvitations{Before: before})
			return err
		}
	}
	return nil
}
