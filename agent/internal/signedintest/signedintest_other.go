//go:build !linux

package signedintest

// ServeIfAsked does nothing: the tests with other accounts run on Linux.
func ServeIfAsked() {}
