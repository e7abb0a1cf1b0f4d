// Package memory says how much memory the machine has.
package memory

// Total is the machine's memory in bytes, 0 when it is not known.
func Total() int64 { return total() }
