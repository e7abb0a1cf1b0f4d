package socket

import "github.com/gorilla/websocket"

// Message is a text that is sent to many peers. It is compressed once for all of them who take compressed messages (RFC 7692).
type Message struct{ prepared *websocket.PreparedMessage }

// NewMessage prepares a text for sending.
func NewMessage(text []byte) (*Message, error) {
	prepared, err := websocket.NewPreparedMessage(websocket.TextMessage, text)
	if err != nil {
		return nil, err
	}
	return &Message{prepared: prepared}, nil
}
