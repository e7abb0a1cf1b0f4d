package program

import "errors"

// readType1 refuses a Type 1 font.
func readType1([]byte) (*Font, error) { return nil, errors.New("fonts of Type 1 are not drawn") }
