package address_test

import (
	"net/url"
	"testing"

	"overcrank/farm/address"
)

func TestSecretsArePutIntoAddresses(t *testing.T) {
	values := map[string]string{"ODD": "a+b/c =&d%", "DONE": "a%2Fb", "QUERY": "sig=1&exp=2", "WHOLE": "https://x.test/a b?c=d"}
	for src, want := range map[string]string{
		"https://x.test/p?token=${secrets.ODD}":     "https://x.test/p?token=a%2Bb%2Fc%20%3D%26d%25",
		"https://x.test/p?token=${secrets.ODD}&a=b": "https://x.test/p?token=a%2Bb%2Fc%20%3D%26d%25&a=b",
		"https://x.test/p?token=${secrets.DONE}#f":  "https://x.test/p?token=a%2Fb#f",
		"https://x.test/p?${secrets.QUERY}":         "https://x.test/p?sig=1&exp=2",
		"https://x.test/${secrets.ODD}/p":           "https://x.test/a+b/c%20=&d%25/p",
		"${secrets.WHOLE}":                          "https://x.test/a%20b?c=d",
		"data:text/plain,x${secrets.ODD}":           "data:text/plain,xa%2Bb%2Fc%20%3D%26d%25",
		"https://x.test/plain":                      "https://x.test/plain",
	} {
		got, err := address.PutSecrets(src, func(name string) (string, error) { return values[name], nil })
		if err != nil || got != want {
			t.Errorf("%s became %s, %v; want %s", src, got, err, want)
		}
		if _, err := url.Parse(got); err != nil {
			t.Errorf("%s is no address: %v", got, err)
		}
	}
	got, _ := address.PutSecrets("http://x/?t=${secrets.ODD}", func(string) (string, error) { return values["ODD"], nil })
	if u, err := url.Parse(got); err != nil || u.Query().Get("t") != values["ODD"] {
		t.Errorf("a server would read %v", u.Query())
	}
}
