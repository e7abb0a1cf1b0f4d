package script

import "fmt"

// complaint is a message for whoever submitted the job; it begins with a capital letter as the job will show it.
type complaint string

func (c complaint) Error() string { return string(c) }

func complain(format string, args ...any) error { return complaint(fmt.Sprintf(format, args...)) }
