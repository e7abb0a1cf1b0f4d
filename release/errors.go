package release

import "errors"

// Why a release is refused. Errors of this package wrap one of these, with what exactly is wrong.
var (
	// ErrNoRoots means that this program was built without root keys, and none were named: it can trust no release.
	ErrNoRoots = errors.New("this program has no root keys to check releases with: name a file of them in release-roots")
	// ErrSignature means that no trusted key signed a document, or that the document was changed afterwards.
	ErrSignature = errors.New("the release's signature is not valid")
	// ErrFormat means that this program cannot read a document.
	ErrFormat = errors.New("a document of the release cannot be read")
	// ErrProduct means that the release is for another product.
	ErrProduct = errors.New("the release is for another product")
	// ErrExpired means that the release or its keys have expired.
	ErrExpired = errors.New("the release has expired")
	// ErrTooEarly means that the release is not valid yet; perhaps the machine's clock is wrong.
	ErrTooEarly = errors.New("the release is not valid yet")
	// ErrOlder means that the machine has seen a newer release, and this one is not signed as a downgrade from it.
	ErrOlder = errors.New("the release is older than one seen before")
	// ErrTruncated means that a document or a file is missing or too short: a copy or a download was interrupted.
	ErrTruncated = errors.New("the release is not complete")
	// ErrDamaged means that a file's content does not match the manifest.
	ErrDamaged = errors.New("a file of the release is damaged")
	// ErrNoFile means that the release has no program for a system.
	ErrNoFile = errors.New("the release has no program for this system")
)

// Reason is one word for why a release was refused, for reports that programs read: signature, format, product, expired, early, older,
// truncated, damaged, system, roots; "" for any other error.
func Reason(err error) string {
	for _, known := range []struct {
		err  error
		word string
	}{
		{ErrNoRoots, "roots"}, {ErrSignature, "signature"}, {ErrFormat, "format"}, {ErrProduct, "product"}, {ErrExpired, "expired"},
		{ErrTooEarly, "early"}, {ErrOlder, "older"}, {ErrTruncated, "truncated"}, {ErrDamaged, "damaged"}, {ErrNoFile, "system"},
	} {
		if errors.Is(err, known.err) {
			return known.word
		}
	}
	return ""
}
