// Package hosts makes several network hosts of one Linux machine, for tests of what happens between machines.
//
// A host is a network namespace with an address of its own. All frames between hosts pass through a switch in this process, which cuts,
// delays and loses them for each direction of each pair: a cut is silence, as with a pulled cable, and not a refused connection.
//
// Nothing that is made here has a name outside of the process: namespaces, links and processes end with it, also when it is killed.
package hosts
