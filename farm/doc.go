// Package farm defines what all packages speak of: jobs, tasks, attempts, templates, agents, teams, their states and the
// legal moves between them. It does no I/O and reads neither a clock nor a random source: callers pass times and ids in.
package farm
