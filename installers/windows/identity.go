package windows

import (
	"crypto/sha1" //nolint:gosec // RFC 9562 makes UUIDs of version 5 with it; nothing is secured by it.
	"fmt"
	"strings"

	"overcrank/installers/version"
)

// identity are the codes by which Windows Installer tells packages apart. They follow from what is packed, so that the same version has the same ones
// wherever it is built.
type identity struct {
	product        string // one for each version: Intune and Group Policy find a version by it
	pack           string // one for each set of bytes
	agentComponent string // one for each version, since each lies in a folder of its own
}

// namespace is the one that the codes are named in; drawn once, by chance.
var namespace = [16]byte{0x3e, 0x9c, 0x51, 0x0b, 0x7a, 0x44, 0x4d, 0x1f, 0x9b, 0x62, 0x8f, 0x0d, 0xc3, 0x25, 0xe1, 0x76}

func identityOf(v version.Version, contents []byte) identity {
	return identity{
		product:        uuid("product " + v.String()),
		pack:           uuid(fmt.Sprintf("package %s %x %x", v, contents, sha1.Sum(source))), //nolint:gosec // as above
		agentComponent: uuid("agent " + v.String()),
	}
}

// uuid is the UUID of version 5 of a name, as Windows Installer writes them.
func uuid(name string) string {
	sum := sha1.Sum(append(namespace[:], name...)) //nolint:gosec // as above
	sum[6] = sum[6]&0x0f | 0x50
	sum[8] = sum[8]&0x3f | 0x80
	return strings.ToUpper(fmt.Sprintf("{%x-%x-%x-%x-%x}", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
}
