package command

import "overcrank/farm"

// PutView keeps a view of the list of jobs for the holder of a token, in place of the one of that name. Was is the name that it had, "" for a new one.
type PutView struct {
	Token string
	View  farm.JobView
	Was   string `json:",omitempty"`
}

// DeleteView removes a view by its name.
type DeleteView struct{ Token, Name string }

// SwitchKeys says whether keys of one letter do nothing for the holder of a token.
type SwitchKeys struct {
	Token string
	Off   bool
}

// SetLanguage keeps the language that the holder of a token has chosen, "" for that of their browsers; with Browser, the one that a browser of
// theirs prefers.
type SetLanguage struct {
	Token    string
	Language farm.Language `json:",omitempty"`
	Browser  bool          `json:",omitempty"`
}

func (PutView) Needs() int     { return PersonalLevel }
func (DeleteView) Needs() int  { return PersonalLevel }
func (SwitchKeys) Needs() int  { return PersonalLevel }
func (SetLanguage) Needs() int { return LanguageLevel }
