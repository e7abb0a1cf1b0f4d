package inbound

import (
	"io"
	"net"
	"time"
)

// lingerTime is how long a caller who is still sending has to notice the answer that ends the connection.
const lingerTime = 2 * time.Second

// Linger has a connection of Listen, or what is spoken on one, end gently when it is closed: no more is written, and what the caller
// is still sending is read and dropped for a moment. A system resets a connection that is closed before all was read, and a caller
// then loses the answer that says why (RFC 9112, 9.6).
func Linger(conn net.Conn) {
	for conn != nil {
		if counted, ok := conn.(*countedConn); ok {
			counted.lingers.Store(true)
			return
		}
		outer, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return
		}
		conn = outer.NetConn()
	}
}

// linger reads what still comes, until the caller has ended its side too.
func linger(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || conn.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, conn) // it ends as it may: the connection is closed behind it
}
