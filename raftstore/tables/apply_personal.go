package tables

import (
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (t *tables) putView(c command.PutView) command.Result {
	was, refusal := t.personalOf(c.Token)
	switch {
	case refusal != nil:
		return refuse(refusal)
	case !farm.IsViewName(c.View.Name):
		return refusef(farm.CodeInvalid, "a view needs a name of one line, up to %d characters", farm.MostViewName)
	case len(c.View.Query) > farm.MostViewQuery:
		return refusef(farm.CodeInvalid, "the filters of a view have %d bytes; %d can be kept", len(c.View.Query), farm.MostViewQuery)
	}
	now := was
	now.Views = slices.Clone(was.Views)
	if c.Was != "" {
		place, known := now.View(c.Was)
		if !known {
			return refuse(noView(c.Was))
		}
		now.Views = slices.Delete(now.Views, place, place+1)
		if _, taken := now.View(c.View.Name); taken {
			return refusef(farm.CodeConflict, "there is a view %q already", c.View.Name)
		}
	}
	place, known := now.View(c.View.Name)
	switch {
	case known:
		now.Views[place] = c.View
	case len(now.Views) >= farm.MostViews:
		return refusef(farm.CodeConflict, "there are %d views, which is as many as one may have; delete one first", len(now.Views))
	default:
		now.Views = slices.Insert(now.Views, place, c.View)
	}
	put(t, bucketPersonal, c.Token, now)
	return command.Result{}
}

func (t *tables) deleteView(c command.DeleteView) command.Result {
	was, refusal := t.personalOf(c.Token)
	if refusal != nil {
		return refuse(refusal)
	}
	place, known := was.View(c.Name)
	if !known {
		return refuse(noView(c.Name))
	}
	was.Views = slices.Delete(slices.Clone(was.Views), place, place+1)
	put(t, bucketPersonal, c.Token, was)
	return command.Result{}
}

func (t *tables) switchKeys(c command.SwitchKeys) command.Result {
	personal, refusal := t.personalOf(c.Token)
	if refusal != nil {
		return refuse(refusal)
	}
	personal.KeysOff = c.Off
	put(t, bucketPersonal, c.Token, personal)
	return command.Result{}
}

// longestTag bounds the tag of a language, in bytes. Which languages there are differs between releases, so it is no rule of the state's.
const longestTag = 35

func (t *tables) setLanguage(c command.SetLanguage) command.Result {
	personal, refusal := t.personalOf(c.Token)
	switch {
	case refusal != nil:
		return refuse(refusal)
	case len(c.Language) > longestTag:
		return refusef(farm.CodeInvalid, "the tag of a language has %d bytes; %d can be kept", len(c.Language), longestTag)
	case c.Browser:
		personal.BrowserLanguage = c.Language
	default:
		personal.Language = c.Language
	}
	put(t, bucketPersonal, c.Token, personal)
	return command.Result{}
}

// personalOf is what the holder of a token has chosen so far.
func (t *tables) personalOf(token string) (farm.Personal, *farm.Error) {
	if !t.has(bucketTokens, token) {
		return farm.Personal{}, noToken(token)
	}
	personal, _ := get[farm.Personal](t, bucketPersonal, token)
	personal.Token = token
	return personal, nil
}

// dropViews forgets the views of somebody who leaves a team: what they name is that team's.
func (t *tables) dropViews(token string) {
	if personal, ok := get[farm.Personal](t, bucketPersonal, token); ok && len(personal.Views) > 0 {
		personal.Views = nil
		put(t, bucketPersonal, token, personal)
	}
}

func noView(name string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "there is no view %q", name)
}

// Personal reads what the holder of a token has chosen for themselves.
func (tx *Tx) Personal(token string) (farm.Personal, error) {
	personal, _ := get[farm.Personal](tx.t, bucketPersonal, token)
	personal.Token = token
	return personal, tx.t.err
}
