package tray

import (
	"context"

	"golang.org/x/sys/windows"
)

// desktop is there wherever the runner starts the tray; Windows ends it with the session.
func desktop(context.Context) (<-chan struct{}, error) { return nil, nil }

// locales are those of the person, the most important one first.
func locales() []string {
	all, err := windows.GetUserPreferredUILanguages(windows.MUI_LANGUAGE_NAME)
	if err != nil {
		return nil
	}
	return all
}

// open shows a page in the person's browser.
func open(_ context.Context, page string) error {
	if page == "" {
		return nil
	}
	verb, err := windows.UTF16PtrFromString("open")
	if err != nil {
		return err
	}
	address, err := windows.UTF16PtrFromString(page)
	if err != nil {
		return err
	}
	return windows.ShellExecute(0, verb, address, nil, nil, windows.SW_SHOWNORMAL)
}

// Again does nothing: the runner starts a tray that has ended anew.
func Again() error { return nil }
