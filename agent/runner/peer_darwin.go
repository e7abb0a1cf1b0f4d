package runner

import (
	"net"

	"golang.org/x/sys/unix"
)

func peerOf(conn *net.UnixConn) (peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var found peer
	var asked error
	err = raw.Control(func(fd uintptr) {
		var who *unix.Xucred
		if who, asked = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); asked != nil {
			return
		}
		found.uid, found.gid = int(who.Uid), int(who.Groups[0])
		found.pid, asked = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err != nil {
		return peer{}, err
	}
	return found, asked
}
