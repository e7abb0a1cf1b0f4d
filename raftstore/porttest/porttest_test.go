package porttest_test

import (
	"net"
	"testing"

	"overcrank/raftstore/porttest"
)

func TestAddressesDifferAndCanBeListenedAtAgain(t *testing.T) {
	given := map[string]bool{}
	for range 50 {
		address := porttest.Address(t)
		if given[address] {
			t.Fatalf("%s is given out twice", address)
		}
		given[address] = true
		for range 2 {
			listener, err := net.Listen("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			if err := listener.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestAnAddressInUseIsNotGivenOut(t *testing.T) {
	used := map[string]bool{}
	for range 20 {
		address := porttest.Address(t)
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		used[address] = true
	}
	for range 300 { // more than a process has
		if address := porttest.Address(t); used[address] {
			t.Fatalf("%s is in use", address)
		}
	}
}
