//go:build trial_level

package command

// This file stands for a release to come: with it, tests build a program that knows a level and a command more.

// NewestLevel is one more than that of the program without this file.
const NewestLevel = ReleasesLevel + 1

// Trial is a command of the level to come.
type Trial struct{ Team string }

// Needs is the level to come.
func (Trial) Needs() int { return NewestLevel }
