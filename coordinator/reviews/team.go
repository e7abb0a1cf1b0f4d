package reviews

import (
	"context"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Takes lists the takes of a job of the team that can be looked at, and the job itself.
func (r *Reviews) Takes(_ context.Context, p farm.Principal, job string) (list []Take, err error) {
	if _, err := r.state.JobOf(p, job); err != nil {
		return nil, err
	}
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = takes(tx, job, true)
		return err
	})
	return list, err
}

// Remarks lists what was said about a job, in the order in which it was.
func (r *Reviews) Remarks(_ context.Context, p farm.Principal, job string) (remarks []farm.Remark, err error) {
	if _, err := r.state.JobOf(p, job); err != nil {
		return nil, err
	}
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		remarks, err = tx.Remarks(job)
		return err
	})
	return remarks, err
}

// Say keeps what a member of the team says. A verdict is that of somebody who may approve.
func (r *Reviews) Say(ctx context.Context, p farm.Principal, said Said) (farm.Remark, error) {
	need := farm.ActComment
	if said.Verdict != "" {
		need = farm.ActApprove
	}
	if err := p.May(need); err != nil {
		return farm.Remark{}, err
	}
	if _, err := r.state.JobOf(p, said.Take); err != nil {
		return farm.Remark{}, err
	}
	said.Name = p.Name
	return r.keep(ctx, p.Team, "", said)
}

// keep commits a remark.
func (r *Reviews) keep(ctx context.Context, team, link string, said Said) (farm.Remark, error) {
	id, err := r.state.NewID()
	if err != nil {
		return farm.Remark{}, err
	}
	said.Name, said.Text = strings.TrimSpace(said.Name), strings.TrimSpace(said.Text)
	remark := said.remark(id, team, r.state.Now())
	remark.Link = link
	if wrong := remark.Check(); wrong != nil {
		return farm.Remark{}, wrong
	}
	res, err := r.state.Apply(ctx, command.AddRemark{Remark: remark})
	if err != nil {
		return farm.Remark{}, err
	}
	if len(res.Jobs) > 0 && remark.Verdict == farm.VerdictApproved {
		r.cfg.Note(remark.Job, "approved by "+remark.Name)
	}
	return remark, nil
}

// Unsay takes a remark back. Who made it may, by its name, and whoever makes review links.
func (r *Reviews) Unsay(ctx context.Context, p farm.Principal, job, id string) error {
	if err := p.May(farm.ActComment); err != nil {
		return err
	}
	remarks, err := r.Remarks(ctx, p, job)
	if err != nil {
		return err
	}
	for _, remark := range remarks {
		if own := remark.Link == "" && remark.Name == p.Name; remark.ID != id || own {
			continue
		}
		if err := p.May(farm.ActShareReviews); err != nil {
			return err
		}
	}
	_, err = r.state.Apply(ctx, command.DeleteRemark{Team: p.Team, Job: job, ID: id, At: r.state.Now()})
	return err
}

// Logo is the picture of the caller's team, a PNG; CodeNotFound without one.
func (r *Reviews) Logo(_ context.Context, p farm.Principal) ([]byte, error) { return r.logoOf(p.Team) }

func (r *Reviews) logoOf(team string) (picture []byte, err error) {
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		picture, err = tx.TeamLogo(team)
		return err
	})
	if err == nil && len(picture) == 0 {
		return nil, farm.Errorf(farm.CodeNotFound, "the team has no logo")
	}
	return picture, err
}

// SetLogo sets the picture that stands on the pages of review links, or takes it away when it is empty. It may be PNG, JPEG or WebP.
func (r *Reviews) SetLogo(ctx context.Context, p farm.Principal, picture []byte) error {
	if err := p.May(farm.ActRenameTeam); err != nil {
		return err
	}
	if len(picture) > 0 {
		var err error
		if picture, err = logo(picture); err != nil {
			return farm.Invalid("this picture cannot be the logo", farm.Field("picture", "%v", err))
		}
	}
	_, err := r.state.Apply(ctx, command.PutTeamLogo{Team: p.Team, Picture: picture, At: r.state.Now()})
	return err
}

// HasLogo says whether the caller's team has a logo.
func (r *Reviews) HasLogo(ctx context.Context, p farm.Principal) (bool, error) {
	_, err := r.Logo(ctx, p)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}
