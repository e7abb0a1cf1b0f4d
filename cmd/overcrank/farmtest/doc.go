// Package farmtest starts whole farms for tests: the real program, in processes, folders and on ports of their own. The packages below it
// hold the tests, by subject:
//
//	trouble   kills, full disks, wrong folders, lost connections: nothing that was acknowledged is lost
//	cluster   several coordinators: beginning, growing, losing one, settings taken up while they work
//	backups   backups, putting a farm back to one, upgrades
//	machines  workstations: invitations, artists who come back, frozen and killed machines
//	films     what jobs become: nested, joined and split jobs, fonts, failures by name, results in buckets
//	clients   the program's commands, the documentation's examples, generated clients
//	pages     the dashboard in a browser
//
// Under `go test -race` the program is built with the race detector too, and a farm in which it finds a race fails its test. `make test RACE=1`
// does so with trouble, and `make chaos RACE=1` with the largest farm.
package farmtest
