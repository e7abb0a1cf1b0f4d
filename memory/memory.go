// Package memory tells how much memory the machine has.
package memory

// Total is the machine's memory in bytes, 0 when unknown.
func Total() int64 { return total() }

// Available is how much of the machine's memory programs could still take, in bytes, without any being pushed to disk.
func Available() (bytes int64, known bool) { return available() }
