// Package socket carries gorilla websockets over Fiber.
//
// Fiber's server knows no http.Hijacker, so the upgrade happens on the connection that fasthttp gives away. The server's
// shutdown neither waits for such a connection nor ends it, and as long as fasthttp's callback runs, the buffer and the request
// that the handshake came in are held: 20 KB for each socket. A Hub therefore owns every socket: it takes the connection from below
// fasthttp's buffer, lets the callback return, waits for both of the socket's goroutines, and ends all sockets before the server
// stops. The server must not close what it gave away: that is fasthttp's KeepHijackedConns.
package socket
