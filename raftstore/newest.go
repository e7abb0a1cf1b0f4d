//go:build !trial_level

package raftstore

// NewestLevel is the highest level whose commands this program understands.
const NewestLevel = checkedLevel
