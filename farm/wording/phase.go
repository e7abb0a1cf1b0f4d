package wording

// Phase is what an attempt is doing, as its machine reports it. A phase of a later release is said as it comes.
func Phase(phase string) string {
	switch phase {
	case "fetching":
		return "fetching"
	case "preparing":
		return "preparing"
	case "rendering":
		return "rendering"
	case "joining":
		return "joining"
	case "assembling":
		return "assembling"
	case "checking":
		return "checking"
	case "uploading":
		return "uploading"
	case "waiting to upload":
		return "waiting to upload"
	}
	return phase
}
