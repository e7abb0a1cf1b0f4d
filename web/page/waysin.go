package page

import "net/url"

// Of is what people call a provider: its label if it is the farm's, else its host.
func (n SignOnName) Of(issuer string) string {
	if issuer == n.Issuer && n.Label != "" {
		return n.Label
	}
	if u, err := url.Parse(issuer); err == nil && u.Host != "" {
		return u.Host
	}
	return issuer
}
