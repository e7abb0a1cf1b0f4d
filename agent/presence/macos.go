package presence

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What macOS' own programs print, read apart from their calls so that every system can test it.

// parsePS reads the lines of ps that macColumns asked for. The last column is the path of the program and may hold spaces.
func parsePS(out string, now time.Time) []Process {
	var list []Process
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		parent, alsoErr := strconv.Atoi(f[1])
		if err != nil || alsoErr != nil {
			continue
		}
		program := line
		for _, before := range f[:4] {
			_, program, _ = strings.Cut(program, before)
		}
		list = append(list, Process{
			PID: pid, Parent: parent, Name: path.Base(strings.TrimSpace(program)),
			Started: now.Add(-parseElapsed(f[2])), CPU: parseElapsed(f[3]),
		})
	}
	return list
}

// parseElapsed reads [[days-]hours:]minutes:seconds[.hundredths].
func parseElapsed(text string) time.Duration {
	days, rest, found := strings.Cut(text, "-")
	if !found {
		days, rest = "0", text
	}
	seconds := 0.0
	for part := range strings.SplitSeq(rest, ":") {
		n, err := strconv.ParseFloat(strings.Replace(part, ",", ".", 1), 64) // a comma in some languages
		if err != nil {
			return 0
		}
		seconds = 60*seconds + n
	}
	n, err := strconv.Atoi(days)
	if err != nil {
		return 0
	}
	return time.Duration(n)*24*time.Hour + time.Duration(seconds*float64(time.Second))
}

var idleTime = regexp.MustCompile(`"HIDIdleTime" = (\d+)`)

// parseIdle reads the time since the last input, in nanoseconds, from what ioreg prints of the class IOHIDSystem.
func parseIdle(out string) (time.Duration, bool) {
	m := idleTime.FindStringSubmatch(out)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	return time.Duration(n), err == nil
}

var consoleUsers = regexp.MustCompile(`"IOConsoleUsers" = \((.*)\)`)

// parseConsole reads who is logged in at the Mac from what ioreg prints of its root. Of several people whose sessions are open only
// one has the console.
func parseConsole(out string) Session {
	m := consoleUsers.FindStringSubmatch(out)
	if m == nil {
		if strings.Contains(out, "IOConsoleLocked") {
			return SessionNone // the log-in window
		}
		return SessionUnknown
	}
	for user := range strings.SplitSeq(m[1], "},{") {
		if !strings.Contains(user, `"kCGSSessionOnConsoleKey"=Yes`) || strings.Contains(user, `"kCGSessionLoginDoneKey"=No`) {
			continue
		}
		if strings.Contains(user, `"CGSSessionScreenIsLocked"=Yes`) {
			return SessionLocked
		}
		return SessionActive
	}
	return SessionNone
}

// parseBattery reads from what pmset prints whether a Mac runs on its battery.
func parseBattery(out string) bool { return strings.Contains(out, "'Battery Power'") }
