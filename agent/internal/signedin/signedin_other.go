//go:build !linux

package signedin

// ServeIfAsked does nothing: the tests with other accounts run on Linux.
func ServeIfAsked() {}
