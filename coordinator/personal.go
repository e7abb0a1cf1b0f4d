package coordinator

import (
	"context"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Personal is what the caller has chosen for themselves.
func (c *Coordinator) Personal(_ context.Context, p farm.Principal) (personal farm.Personal, err error) {
	if err := p.May(farm.ActView); err != nil {
		return personal, err
	}
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		personal, err = tx.Personal(p.TokenID)
		return err
	})
	return personal, err
}

// PutView keeps a view of the list of jobs for the caller, in place of the one of that name; was is the name that it had, "" for a new one.
func (c *Coordinator) PutView(ctx context.Context, p farm.Principal, view farm.JobView, was string) error {
	if err := p.May(farm.ActView); err != nil {
		return err
	}
	view.Name = strings.TrimSpace(view.Name)
	if !farm.IsViewName(view.Name) {
		return farm.Invalid("the view cannot be saved", farm.Field("name", "has to be one line of up to %d characters", farm.MostViewName))
	}
	_, err := c.state.Apply(ctx, command.PutView{Token: p.TokenID, View: view, Was: was})
	return err
}

// DeleteView removes a view of the caller's by its name.
func (c *Coordinator) DeleteView(ctx context.Context, p farm.Principal, name string) error {
	if err := p.May(farm.ActView); err != nil {
		return err
	}
	_, err := c.state.Apply(ctx, command.DeleteView{Token: p.TokenID, Name: name})
	return err
}

// SwitchKeys says whether keys of one letter do nothing for the caller.
func (c *Coordinator) SwitchKeys(ctx context.Context, p farm.Principal, off bool) error {
	if err := p.May(farm.ActView); err != nil {
		return err
	}
	_, err := c.state.Apply(ctx, command.SwitchKeys{Token: p.TokenID, Off: off})
	return err
}
