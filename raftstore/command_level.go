package raftstore

// SetLevel lets commands of a level be written from then on. It is refused while a coordinator's record says that its program does
// not understand them, and never goes back.
type SetLevel struct {
	Level   int
	Version string // of the program that raised it, to tell those who cannot follow
}

func (SetLevel) Needs() int { return clusterLevel }
