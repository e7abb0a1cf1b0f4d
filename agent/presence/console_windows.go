package presence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/windows"
)

// IsService tells whether this process is one of the system's, which must not run After Effects itself: it is in the session of the services,
// which has no desktop that somebody sees.
func IsService() bool {
	var own uint32
	return windows.ProcessIdToSessionId(uint32(os.Getpid()), &own) == nil && own == 0
}

// Console knows who sits before the machine, or uses it from afar.
type Console struct{}

// Close does nothing.
func (*Console) Close() error { return nil }

// Who is the person of the session at the machine itself, else of the first one that somebody uses from afar; found is false when nobody
// is signed in. Only the account of the system may ask.
func (*Console) Who(context.Context) (who Person, found bool, err error) {
	sessions, err := ActiveSessions()
	if err != nil {
		return Person{}, false, err
	}
	if here := windows.WTSGetActiveConsoleSessionId(); slices.Contains(sessions, here) {
		sessions = append([]uint32{here}, sessions...)
	}
	for _, id := range sessions {
		token, err := SessionToken(id)
		if errors.Is(err, windows.ERROR_NO_TOKEN) {
			continue // the screen at which people sign in
		}
		if err != nil {
			return Person{}, false, err
		}
		who, err = personOf(token, id)
		return who, err == nil, errors.Join(err, token.Close())
	}
	return Person{}, false, nil
}

// SessionToken is the token of the person of a session. Only the account of the system may ask.
func SessionToken(session uint32) (windows.Token, error) {
	var token windows.Token
	if err := windows.WTSQueryUserToken(session, &token); err != nil {
		return 0, fmt.Errorf("asking for the user of session %d: %w", session, err)
	}
	return token, nil
}

// PersonIn is the person of a session.
func PersonIn(session uint32) (Person, error) {
	token, err := SessionToken(session)
	if err != nil {
		return Person{}, err
	}
	defer token.Close()
	return personOf(token, session)
}

func personOf(token windows.Token, session uint32) (Person, error) {
	user, err := token.GetTokenUser()
	if err != nil {
		return Person{}, fmt.Errorf("reading who the user of session %d is: %w", session, err)
	}
	who := Person{ID: user.User.Sid.String(), Session: session}
	if name, _, _, err := user.User.Sid.LookupAccount(""); err == nil {
		who.Name = name
	}
	return who, nil
}
