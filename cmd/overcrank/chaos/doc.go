// Package chaos holds the test that proves the farm: real coordinators and agents on hosts of their own do the work of a studio while they
// are killed, frozen, restarted and cut off from each other, and then everything that was promised is looked at.
//
//	make chaos DURATION=10m SEED=7
//
// What happens when follows from the seed, which is printed; what the machine makes of it does not. When something is wrong, the folder
// that is named at the end holds the history of all requests, the logs of all processes, and a page for each job whose history contradicts
// itself.
//
//	farm_test.go      the farm: which processes on which hosts, and how to ask them
//	process_test.go   a process that can be killed, frozen and started again
//	work_test.go      clients that submit, change, cancel, release and read
//	receiver_test.go  the receiver of webhooks, which does not always answer
//	store_test.go     the storage that all coordinators share
//	growth_test.go    how the farm begins as one coordinator, and its files move before the others join
//	putback_test.go   how it is put back to backups of it while it works
//	faults_test.go    what befalls the farm
//	history_test.go   what was asked and answered, and when
//	model_test.go     what a job may look like, for whom the history is checked against
//	checks_test.go    what has to be true in the end
package chaos
