//go:build ignore

// Command receiver takes the farm's webhooks. WEBHOOK_KEY is the key of GET /api/farm/v1/webhook-key; PORT is where to listen.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	key := []byte(os.Getenv("WEBHOOK_KEY"))
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20))
		if err != nil {
			http.Error(w, "send it again", http.StatusBadRequest)
			return
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(body)
		signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		if !hmac.Equal([]byte(signature), []byte(r.Header.Get("X-Signature"))) {
			http.Error(w, "not signed by the farm", http.StatusUnauthorized)
			return
		}
		var job struct {
			Status    string `json:"status"`
			OutputURL string `json:"outputUrl"`
		}
		if err := json.Unmarshal(body, &job); err != nil {
			http.Error(w, "no job", http.StatusBadRequest)
			return
		}
		// A delivery may come twice: X-Delivery-Id tells.
		fmt.Println(r.Header.Get("X-Delivery-Id"), job.Status, job.OutputURL)
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
