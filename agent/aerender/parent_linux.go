package aerender

import "syscall"

// dieWithParent ends an engine when its agent is killed, so that it does not render on for nobody. The kernel ties this
// to the thread that started the engine, which therefore stays locked until the engine has ended.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
