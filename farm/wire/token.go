package wire

import "strings"

// parseToken reads SECRET.AUTHORITY: a secret of 20 to 200 small letters and digits behind the prefix of its kind, and a fingerprint in hex.
func parseToken(prefix, text string) (secret, authority string, ok bool) {
	secret, authority, _ = strings.Cut(strings.TrimSpace(text), ".")
	random, is := strings.CutPrefix(secret, prefix)
	ok = is && len(random) >= 20 && len(random) <= 200 && consistsOf(random, 'z') && len(authority) == 64 && consistsOf(authority, 'f')
	return secret, authority, ok
}

// consistsOf reports whether a text has nothing but digits and the small letters up to last.
func consistsOf(text string, last rune) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > last) })
}
