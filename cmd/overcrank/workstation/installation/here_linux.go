package installation

// Here is this machine.
func Here() Machine { return linux{run: runProgram} }
