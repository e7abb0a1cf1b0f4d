package people

import (
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

func TestAPasswordIsKnownByItsHash(t *testing.T) {
	h := newHashing()
	for _, password := range []string{"correct horse battery", "пароль для студии", strings.Repeat("x", passwordMost)} {
		hash, err := h.hash(t.Context(), password)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(hash, password) || outdated(hash) {
			t.Errorf("the hash is %q", hash)
		}
		for typed, want := range map[string]bool{password: true, password + "x": false, "": false} {
			if right, err := h.verify(t.Context(), typed, hash); right != want || err != nil {
				t.Errorf("%q: %v, %v", typed, right, err)
			}
		}
	}
}

func TestOnePasswordTypedInTwoWaysIsTheSame(t *testing.T) {
	h := newHashing()
	hash, err := h.hash(t.Context(), "Gru\u0308ne Wiesen im Mai")
	if err != nil {
		t.Fatal(err)
	}
	if right, err := h.verify(t.Context(), "Gr\u00fcne Wiesen im Mai", hash); !right || err != nil {
		t.Errorf("%v, %v", right, err)
	}
}

func TestAHashOfAnotherCostIsStillRead(t *testing.T) {
	h := newHashing()
	salt := []byte("0123456789abcdef")
	cheap := cost{memory: 64, passes: 1, threads: 1}
	hash := cheap.text(salt, cheap.hash("correct horse battery", salt, hashSize))
	if right, err := h.verify(t.Context(), "correct horse battery", hash); !right || err != nil {
		t.Errorf("%v, %v", right, err)
	}
	if !outdated(hash) {
		t.Error("it need not be made again")
	}
}

func TestWithoutAHashNoPasswordIsRight(t *testing.T) {
	h := newHashing()
	for _, password := range []string{"", "correct horse battery"} {
		if right, err := h.verify(t.Context(), password, ""); right || err != nil {
			t.Errorf("%q: %v, %v", password, right, err)
		}
	}
	for _, damaged := range []string{"x", "$argon2id$v=19$m=1,t=1,p=1$$", "$argon2id$v=19$m=0,t=0,p=0$AAAA$AAAA", "$argon2id$v=18$m=1,t=1,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$?$AAAA"} {
		if right, err := h.verify(t.Context(), "", damaged); right || err == nil {
			t.Errorf("%q: %v, %v", damaged, right, err)
		}
	}
}

func TestPasswordsThatWouldBeGuessedAreRefused(t *testing.T) {
	who := farm.Token{Name: "Mia Wintergarden", Email: "mia.winter@studio.example"}
	for password, want := range map[string]string{
		"correct horse battery": "", "zwölf zeichen": "",
		"":                          "12 characters",
		"elf zeichen":               "12 characters",
		strings.Repeat("ä", 600):    "bytes",
		"aaaaaaaaaaaaaaa":           "different",
		"mia wintergarden":          "name",
		"Mia.Winter@studio.example": "name",
	} {
		err := CheckPassword(password, who)
		if want == "" && err != nil || want != "" && (farm.CodeOf(err) != farm.CodeInvalid || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", password, err, want)
		}
	}
}

func TestHashingIsBounded(t *testing.T) {
	h := &hashing{waiting: make(chan struct{}, 2), turns: make(chan struct{}, 1)}
	first, err := h.turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	go func() {
		done, err := h.turn(t.Context())
		if err == nil {
			defer done()
		}
		second <- err
	}()
	for len(h.waiting) < 2 {
		time.Sleep(time.Millisecond)
	}
	if _, err := h.turn(t.Context()); farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("more than may wait: %v", err)
	}
	first()
	if err := <-second; err != nil {
		t.Errorf("who waited: %v", err)
	}
	if _, err := h.turn(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
