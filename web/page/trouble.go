package page

import (
	"context"
	"time"
)

// TroubleKind is what keeps a page from being shown, as people tell such things apart.
type TroubleKind int

// The kinds of trouble.
const (
	TroubleRefused    TroubleKind = iota // what was asked for cannot be done so
	TroubleMissing                       // nothing is at the address
	TroubleForbidden                     // the reader may not
	TroubleLeaderless                    // no coordinator leads
	TroubleBusy                          // the farm has no time, or takes too long
	TroubleFailed                        // the farm is at fault
)

// Trouble is why a page is not shown, or a form was refused.
type Trouble struct {
	Kind    TroubleKind
	Message string
	Sent    bool      // a form was sent
	Again   string    // address that can be tried again, "" for none
	Back    string    // page that the form stood on, "" where nobody knows
	What    string    // was asked for
	At      time.Time // when
}

// after is what the reader can do, or has to know, besides the message.
func (v Trouble) after(ctx context.Context) (list []string) {
	switch v.Kind {
	case TroubleForbidden:
		list = append(list, say(ctx, "Ask an administrator of the farm, who can give you another role under Settings → People."))
	case TroubleLeaderless:
		list = append(list, say(ctx, "The coordinators are choosing one, which usually takes seconds. Renders go on meanwhile."))
		if !v.Sent {
			list = append(list, say(ctx, "This page opens by itself as soon as one leads."))
		}
	}
	if v.Sent && v.Kind != TroubleFailed {
		list = append(list, say(ctx, "Nothing was changed. Your browser may have kept what you filled in: go back, and send it again."))
	}
	return list
}
