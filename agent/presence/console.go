package presence

// Person is somebody who is signed in at a machine.
type Person struct {
	ID      string // the number of the account on macOS and Linux, its SID on Windows
	Name    string // of the account, for people; may be empty
	Session uint32 // on Windows, where one person may have several; else 0
}
