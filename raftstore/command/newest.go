//go:build !trial_level

package command

// NewestLevel is the highest level whose commands this program understands.
const NewestLevel = ReleasesLevel
