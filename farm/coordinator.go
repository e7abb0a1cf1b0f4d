package farm

import "time"

// Coordinator is one of the farm's coordinators, as it describes itself to the others.
type Coordinator struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`             // host name
	Cluster string    `json:"cluster"`          // host:port at which the other coordinators reach it
	Public  string    `json:"public"`           // base address at which agents and the other coordinators reach it, without a trailing slash
	Farm    string    `json:"farm,omitempty"`   // base address of the whole farm by its settings, "" when they name none
	Gossip  string    `json:"gossip,omitempty"` // host:port at which others reach it in gossip, "" when it takes no part
	Version string    `json:"version"`          // of its program
	Level   int       `json:"level"`            // highest level of commands that its program understands
	At      time.Time `json:"at"`               // when it said so
}
