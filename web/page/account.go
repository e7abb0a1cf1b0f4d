package page

import (
	"context"
	"strings"

	"overcrank/coordinator/people"
)

func passwordHelp(ctx context.Context) string {
	return say(ctx, "%d characters or more. Several words make a good one.", people.PasswordLeast)
}

// BrowserWords is a browser and the system it runs on, as far as the name that it gives itself tells.
func BrowserWords(ctx context.Context, agent string) string {
	browser := firstNamed(agent, [][2]string{
		{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"},
	})
	system := firstNamed(agent, [][2]string{
		{"Windows", "Windows"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Mac OS X", "macOS"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	})
	switch {
	case browser != "" && system != "":
		return say(ctx, "%s on %s", browser, system)
	case browser+system != "":
		return browser + system
	}
	return say(ctx, "An unknown browser")
}

// firstNamed gives the words for the first of some parts that a text has, "" for none.
func firstNamed(text string, parts [][2]string) string {
	for _, part := range parts {
		if strings.Contains(text, part[0]) {
			return part[1]
		}
	}
	return ""
}
