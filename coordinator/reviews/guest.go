package reviews

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
)

// Visit is what somebody who came by a link may see.
type Visit struct {
	Link  farm.ReviewLink
	Team  farm.Team
	Takes []Take
	Logo  bool
}

// Reader is who reads for the visitor what belongs to the job.
func (v Visit) Reader() farm.Principal {
	return farm.Principal{Team: v.Link.Team, Role: farm.RoleViewer}
}

// Take is one of the takes that the link shows; CodeNotFound for any other.
func (v Visit) Take(id string) (Take, error) {
	i := slices.IndexFunc(v.Takes, func(t Take) bool { return t.ID == id && t.Viewable() })
	if i < 0 {
		return Take{}, farm.Errorf(farm.CodeNotFound, "there is nothing to look at here")
	}
	return v.Takes[i], nil
}

var (
	errNoLink = farm.Errorf(farm.CodeNotFound, "this review link does not exist, or was revoked; ask whoever sent it for another")
	errOver   = farm.Errorf(farm.CodeGone, "this review link has expired; ask whoever sent it for another")
	// ErrPassword is for a link that asks for a password which the browser has not shown.
	ErrPassword = farm.Errorf(farm.CodeUnauthorized, "this review link asks for a password")
)

// linkOf finds the link with a code.
func (r *Reviews) linkOf(tx *raftstore.Tx, code string) (farm.ReviewLink, error) {
	if len(code) > 100 {
		return farm.ReviewLink{}, errNoLink
	}
	link, err := tx.ReviewLink(hashOf(code))
	switch {
	case farm.CodeOf(err) == farm.CodeNotFound || err == nil && !link.RevokedAt.IsZero():
		return link, errNoLink
	case err == nil && !link.Open(r.state.Now()):
		return link, errOver
	}
	return link, err
}

// Visit looks up what a code leads to. proof is what Enter gave this browser, "" for nothing. CodeNotFound for no link, CodeGone for one that
// has expired, ErrPassword for one that asks for a password.
func (r *Reviews) Visit(_ context.Context, code, proof string) (v Visit, err error) {
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		if v.Link, err = r.linkOf(tx, code); err != nil {
			return err
		}
		if v.Team, err = tx.Team(v.Link.Team); err != nil {
			return err
		}
		logo, err := tx.TeamLogo(v.Link.Team)
		if err != nil {
			return err
		}
		v.Logo = len(logo) > 0
		v.Takes, err = takes(tx, v.Link.Job, v.Link.Takes)
		return err
	})
	if err != nil {
		return v, err
	}
	if v.Link.Password != "" && !r.proves(proof, v.Link) {
		v.Takes = nil
		return v, ErrPassword
	}
	return v, nil
}

// proofLife is for how long a browser needs not be asked again.
const proofLife = 24 * time.Hour

// Enter checks the password of a link, for a browser at an address, and gives what shows later that it was right.
func (r *Reviews) Enter(ctx context.Context, code, address, password string) (proof string, until time.Time, err error) {
	var link farm.ReviewLink
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		link, err = r.linkOf(tx, code)
		return err
	})
	if err != nil {
		return "", until, err
	}
	if err := r.cfg.Passwords.CheckPassword(ctx, "review "+link.ID, address, password, link.Password); err != nil {
		return "", until, err
	}
	until = r.state.Now().Add(proofLife)
	if link.Until.Before(until) {
		until = link.Until
	}
	body := strconv.FormatInt(until.Unix(), 10)
	return body + "." + r.sign(body, link), until, nil
}

// proves says whether a browser has shown the password of a link.
func (r *Reviews) proves(proof string, link farm.ReviewLink) bool {
	body, signature, _ := strings.Cut(proof, ".")
	until, err := strconv.ParseInt(body, 10, 64)
	return err == nil && hmac.Equal([]byte(signature), []byte(r.sign(body, link))) && r.state.Now().Unix() < until
}

func (r *Reviews) sign(body string, link farm.ReviewLink) string {
	mac := hmac.New(sha256.New, r.cfg.Derive("passwords of review links", 32))
	mac.Write([]byte(link.ID + "\x00" + link.Password + "\x00" + body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// GuestRemarks lists what was said about the takes that the visitor sees, but for what the team keeps to itself.
func (r *Reviews) GuestRemarks(_ context.Context, v Visit) (all []farm.Remark, err error) {
	err = r.state.View(func(tx *raftstore.Tx) error {
		for _, take := range v.Takes {
			remarks, err := tx.Remarks(take.ID)
			if err != nil {
				return err
			}
			all = append(all, slices.DeleteFunc(remarks, func(r farm.Remark) bool { return r.Inside })...)
		}
		return nil
	})
	return all, err
}

// GuestSay keeps what a visitor says.
func (r *Reviews) GuestSay(ctx context.Context, v Visit, said Said) (farm.Remark, error) {
	if _, err := v.Take(said.Take); err != nil {
		return farm.Remark{}, err
	}
	said.Inside = false
	return r.keep(ctx, v.Link.Team, v.Link.ID, said)
}

// GuestLogo is the logo of the team that made the link; CodeNotFound without one.
func (r *Reviews) GuestLogo(_ context.Context, code string) ([]byte, error) {
	var link farm.ReviewLink
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		link, err = r.linkOf(tx, code)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.logoOf(link.Team)
}
