package address

import "strings"

// IsPath tells whether src is the path of a file rather than an address.
func IsPath(src string) bool {
	if strings.HasPrefix(src, "${") {
		return false // a secret of the farm that holds an address
	}
	scheme, _, ok := strings.Cut(src, ":")
	// One letter before the colon is a Windows drive.
	return !ok || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`)
}
