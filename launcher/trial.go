package launcher

import (
	"errors"
	"fmt"
	"time"
)

// ErrNotOnTrial is the error of Healthy for a version that is no longer on trial, such as one that was rolled back.
var ErrNotOnTrial = errors.New("this version is not on trial")

// Healthy ends the trial of the running version: from now on the launcher starts this version. untried is why the trial showed less than it should, "" for
// nothing; it is kept in the outcome. Calling it twice is no error.
func (l Launch) Healthy(untried string) error {
	_, err := change(l.Folder, func(st *State) error {
		if st.Pending == nil || st.Pending.Version != l.Version {
			if st.Current != nil && st.Current.Version == l.Version {
				return nil
			}
			return fmt.Errorf("%w: %s", ErrNotOnTrial, l.Version)
		}
		passed := st.Pending.Kept
		st.Outcome = &Outcome{Version: passed.Version, Number: passed.Number, Good: true, Reason: untried, At: time.Now().UTC().Truncate(time.Second)}
		st.Previous, st.Current, st.Pending = st.Current, &passed, nil
		return nil
	})
	if err != nil {
		return fmt.Errorf("ending the trial of %s: %w", l.Version, err)
	}
	return nil
}

// Away tells the launcher whether the farm cannot be reached. Meanwhile the trial of the running version is given more time (Times.Away): the previous
// version would not reach the farm either.
func (l Launch) Away(is bool) error {
	_, err := change(l.Folder, func(st *State) error {
		if st.Pending != nil && st.Pending.Version == l.Version {
			st.Pending.Away = is
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("during the trial of %s: %w", l.Version, err)
	}
	return nil
}
