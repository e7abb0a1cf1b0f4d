package people

import (
	"context"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

func noSuchTeam(id string) error {
	return farm.Errorf(farm.CodeNotFound, "there is no team %q", id)
}

// Teams lists the caller's team, or all teams for an administrator of the farm, by age. first is the id of the farm's
// first team.
func (d *Directory) Teams(_ context.Context, p farm.Principal) (list []farm.Team, first string, err error) {
	err = d.state.View(func(tx *raftstore.Tx) error {
		if first, err = tx.FirstTeam(); err != nil {
			return err
		}
		all, err := tx.Teams()
		for _, team := range all {
			if team.ID == p.Team || p.Can(farm.ActManageTeams) {
				list = append(list, team)
			}
		}
		return err
	})
	return list, first, err
}

// Team finds a team that the caller may see, and tells whether it is the farm's first one.
func (d *Directory) Team(_ context.Context, p farm.Principal, id string) (team farm.Team, first bool, err error) {
	if id != p.Team && !p.Can(farm.ActManageTeams) {
		return farm.Team{}, false, noSuchTeam(id)
	}
	err = d.state.View(func(tx *raftstore.Tx) error {
		if team, err = tx.Team(id); err != nil {
			return err
		}
		oldest, err := tx.FirstTeam()
		first = oldest == id
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return farm.Team{}, false, noSuchTeam(id)
	}
	return team, first, err
}

// MakeTeam makes a team without any token; CodeForbidden when the caller does not look after the farm.
func (d *Directory) MakeTeam(ctx context.Context, p farm.Principal, name string) (farm.Team, error) {
	if err := p.May(farm.ActManageTeams); err != nil {
		return farm.Team{}, err
	}
	if ids, before, err := state.Made(ctx); err != nil {
		return farm.Team{}, err
	} else if before {
		team, _, err := d.Team(ctx, p, ids[0])
		return team, err
	}
	id, err := d.state.NewID()
	if err != nil {
		return farm.Team{}, err
	}
	team := farm.Team{ID: id, Name: name, CreatedAt: d.state.Now()}
	if _, err := d.state.Apply(ctx, command.PutTeam{Team: team}); err != nil {
		return farm.Team{}, err
	}
	d.log.Info("a team was made", "team", id, "name", name, "by", p.Name)
	return team, nil
}

// RenameTeam gives a team another name; its own administrators may do that too.
func (d *Directory) RenameTeam(ctx context.Context, p farm.Principal, id, name string) (team farm.Team, first bool, err error) {
	if err := p.May(farm.ActRenameTeam); err != nil {
		return farm.Team{}, false, err
	}
	if _, _, err := d.Team(ctx, p, id); err != nil {
		return farm.Team{}, false, err
	}
	if _, err := d.state.Apply(ctx, command.RenameTeam{ID: id, Name: name}); err != nil {
		return farm.Team{}, false, err
	}
	return d.Team(ctx, p, id)
}

// EndTeam removes a team with its tokens, templates and files; its browsers are signed out. CodeConflict for the farm's
// first team and while jobs of the team have not ended.
func (d *Directory) EndTeam(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActManageTeams); err != nil {
		return err
	}
	if _, _, err := d.Team(ctx, p, id); err != nil {
		return err
	}
	if _, err := d.state.Apply(ctx, command.EndTeam{ID: id, At: d.state.Now()}); err != nil {
		return err
	}
	d.log.Info("a team was ended", "team", id, "by", p.Name)
	return nil
}
