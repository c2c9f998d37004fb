// Needs Hermod's client, and go get github.com/jackc/pgx/v5. Run it with `WEBHOOK_SECRET=whsec_… DATABASE_URL=… go run .`
package main

import (
	"database/sql"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

	"hermod"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// create table webhooks (id text primary key, sequence bigint, event text, body text, done boolean not null)
const store = "insert into webhooks values ($1, $2, $3, $4, false) on conflict do nothing"

var secrets = strings.Fields(os.Getenv("WEBHOOK_SECRET")) // several while one is being replaced

func main() {
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	go work(db)
	http.HandleFunc("POST /hooks", func(w http.ResponseWriter, r *http.Request) { receive(db, w, r) })
	log.Fatal(http.ListenAndServe("127.0.0.1:4000", nil))
}

func receive(db *sql.DB, w http.ResponseWriter, r *http.Request) {
	// 1. Read the body as bytes, up to a limit.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	// 2. Verify the signature.
	webhook, err := hermod.Verify(body, r.Header, secrets...)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	// 3. Store the webhook under its id, unless it came before.
	_, err = db.ExecContext(r.Context(), store, webhook.ID, webhook.Sequence, webhook.Event, string(body))
	if err != nil {
		log.Print("the webhook could not be stored: ", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	// 4. Answer 2xx.
	w.WriteHeader(http.StatusNoContent)
}
