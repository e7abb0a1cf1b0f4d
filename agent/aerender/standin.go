//go:build !standin

package aerender

// standInCommand is how a stand-in for After Effects is made to run a script file, in builds with the tag "standin" alone.
func standInCommand(_, _ string) []string { return nil }
