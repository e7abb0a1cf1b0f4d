package main

type agentsCommand struct {
	Invite      agentsInvite      `cmd:"" help:"Make a join token, with which machines become agents of the farm."`
	Invitations agentsInvitations `cmd:"" help:"List join tokens: who made them, how many machines may still come, when they were last used."`
	Uninvite    agentsUninvite    `cmd:"" help:"Take join tokens back, at once; machines that have come with them stay."`
}
