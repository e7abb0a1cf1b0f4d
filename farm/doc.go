// Package farm is the vocabulary that every room of the house shares: jobs, tasks, attempts, templates, agents, teams,
// their states and the legal moves between them. It does no I/O and never reads a clock or a random source: times and
// ids are given to it.
package farm
