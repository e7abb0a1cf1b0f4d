package launcher

// Chosen is the version that runs a command typed at the machine: the one that runs as the service. If another account could have changed that program,
// it is the installed version instead. folder is the state folder, programs the launcher's own folder.
func Chosen(folder, programs string) (Choice, error) {
	st, err := Read(folder)
	if err != nil {
		st = State{} // not every account may read it; the installed version is left
	}
	st.noteInstalled(Installed(programs))
	st.Pending = nil
	for _, c := range choices(folder, programs, st) {
		if c.Program == programOf(programs, c.Version) || Trusted(c.Program) == nil {
			return c, nil
		}
	}
	return installedChoice(programs)
}
