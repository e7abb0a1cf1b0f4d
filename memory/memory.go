// Package memory tells how much memory the machine has.
package memory

// Total is the machine's memory in bytes, 0 when unknown.
func Total() int64 { return total() }
