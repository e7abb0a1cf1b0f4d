package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// Notifications are what the caller is told of, and how that goes.
type Notifications struct {
	Raw            `json:"-"`
	About          []string     `json:"about"`
	Email          bool         `json:"email"`
	EmailAddress   string       `json:"emailAddress"`
	EmailAvailable bool         `json:"emailAvailable"`
	Chat           *NoticeChat  `json:"chat"`
	QuietHours     *QuietHours  `json:"quietHours"`
	Language       string       `json:"language"`
	ToldIn         string       `json:"toldIn"`
	Ways           []NoticeWays `json:"ways"`
}

// NoticeChat is a chat that the caller is told in.
type NoticeChat struct {
	Kind string `json:"kind"`
	Host string `json:"host"`
}

// ChatWanted is a chat that the caller wants to be told in. Without an address it is the one that the farm knows.
type ChatWanted struct {
	Kind string `json:"kind,omitempty"`
	URL  string `json:"url,omitempty"`
}

// QuietHours are when nothing is sent.
type QuietHours struct {
	Hours    string `json:"hours"`
	TimeZone string `json:"timeZone"`
}

// NoticeWays is how telling by one way goes.
type NoticeWays struct {
	Way     string `json:"way"`
	Waiting int    `json:"waiting"`
	EndedAt string `json:"endedAt"`
	Error   string `json:"error"`
}

// NotificationsWanted is what the caller wants to be told of.
type NotificationsWanted struct {
	About      []string    `json:"about"`
	Email      bool        `json:"email"`
	Chat       *ChatWanted `json:"chat,omitempty"`
	QuietHours *QuietHours `json:"quietHours,omitempty"`
	// Language is left out where it stays as it is, and null for that of the browser.
	Language json.RawMessage `json:"language,omitempty"`
}

// NoticeTest is how a test message went.
type NoticeTest struct {
	Raw     `json:"-"`
	Way     string `json:"way"`
	Sent    bool   `json:"sent"`
	Problem string `json:"problem"`
}

const noticesPath = "/api/farm/v1/me/notifications"

// Notifications are those of the caller.
func (c *Client) Notifications(ctx context.Context) (Notifications, error) {
	return fetch[Notifications](ctx, c, http.MethodGet, noticesPath, nil, nil)
}

// SetNotifications changes what the caller is told of.
func (c *Client) SetNotifications(ctx context.Context, wanted NotificationsWanted) (Notifications, error) {
	return fetch[Notifications](ctx, c, http.MethodPut, noticesPath, nil, wanted)
}

// TestNotifications sends the caller a test message by one way.
func (c *Client) TestNotifications(ctx context.Context, way string) (NoticeTest, error) {
	return fetch[NoticeTest](ctx, c, http.MethodPost, noticesPath+"/test", nil, map[string]string{"way": way})
}
