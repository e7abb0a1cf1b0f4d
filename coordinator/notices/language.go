package notices

import (
	"context"
	"fmt"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Teller says texts in the languages of people.
type Teller interface {
	Told(l farm.Language, t farm.Text) string
}

// voice says texts in the language of whom a message is for. The zero voice says them in English.
type voice struct {
	teller   Teller
	language farm.Language
}

func (v voice) says(t farm.Text) string {
	if v.teller == nil {
		return t.String()
	}
	return v.teller.Told(v.language, t)
}

// ChooseLanguage keeps the language that the caller wants to read, on pages and in messages; "" is for the one that their browsers prefer.
func (n *Notices) ChooseLanguage(ctx context.Context, p farm.Principal, l farm.Language) error {
	return n.setLanguage(ctx, p, l, false)
}

// NoteBrowserLanguage keeps the language that a browser of the caller's prefers. They are told in it as long as they choose none.
func (n *Notices) NoteBrowserLanguage(ctx context.Context, p farm.Principal, l farm.Language) error {
	return n.setLanguage(ctx, p, l, true)
}

// setLanguage writes only what is not so already: browsers say the same at each sign-in.
func (n *Notices) setLanguage(ctx context.Context, p farm.Principal, l farm.Language, browser bool) error {
	if err := p.May(farm.ActView); err != nil {
		return err
	}
	if l != "" && farm.KnownLanguage(string(l)) == "" {
		return farm.Invalid("these settings cannot be kept", farm.Field("language", "has to be one of %s", fmt.Sprint(farm.Languages())))
	}
	var was farm.Personal
	err := n.state.View(func(tx *raftstore.Tx) (err error) {
		was, err = tx.Personal(p.TokenID)
		return err
	})
	if err != nil || browser && was.BrowserLanguage == l || !browser && was.Language == l {
		return err
	}
	_, err = n.state.Apply(ctx, command.SetLanguage{Token: p.TokenID, Language: l, Browser: browser})
	return beforeItsLevel(err)
}

// beforeItsLevel makes a conflict with the farm's level, where some coordinator does not know of a command yet, an error that passes.
func beforeItsLevel(err error) error {
	if farm.CodeOf(err) == farm.CodeConflict {
		return farm.Errorf(farm.CodeUnavailable, "%w", err)
	}
	return err
}
