// Package socket carries gorilla websockets over Fiber.
//
// Fiber's server knows no http.Hijacker, so the upgrade happens on the connection that fasthttp gives away. That
// connection has manners of its own: its Close does nothing, it is pooled as soon as the callback returns, and the
// server's shutdown neither waits for it nor ends it. A Hub therefore owns every socket: it closes the real
// connection, lets the callback return only after both of the socket's goroutines have ended, and ends all sockets
// before the server stops.
package socket
