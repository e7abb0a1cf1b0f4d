//go:build !linux && !darwin && !windows

package aerender

// machineMemory is the machine's memory in bytes, 0 when it is not known.
func machineMemory() int64 { return 0 }
