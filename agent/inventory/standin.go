//go:build !standin

package inventory

// standIns are folders with a stand-in for After Effects, in builds with the tag "standin" alone: tests show with it what a farm does
// with After Effects on systems for which there is none.
func standIns() []string { return nil }
