package results

import (
	"strings"

	"overcrank/farm"
)

// addressPath is the part of a result's public address between the farm's base address and the result's name.
const addressPath = "/outputs/"

// Address is the public address of a job's result, known from the job's creation on, for callers who know the farm by a base address.
func Address(base string, job farm.Job) string {
	if job.Address != "" {
		return job.Address
	}
	return base + addressPath + job.OutputName
}

// SplitAddress parts an address of this form into the base address and the result's name; ok is false for any other.
func SplitAddress(address string) (base, name string, ok bool) {
	return strings.Cut(address, addressPath)
}
