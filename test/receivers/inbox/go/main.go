// Command receiver is a receiver with the inbox, whose work writes a row for each webhook. Argument: its options as JSON. Prints its port.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"hermod"

	_ "github.com/jackc/pgx/v5/stdlib"
)

type given struct {
	Address string
	Options struct {
		Endpoint, Secrets string
		CatchUp           *struct{ URL, Key string }
	}
	Fails []int
}

func main() {
	var g given
	check(json.Unmarshal([]byte(os.Args[1]), &g))
	db, err := sql.Open("pgx", g.Address)
	check(err)
	db.SetMaxOpenConns(8)
	ctx := context.Background()
	options := hermod.InboxOptions{Endpoint: g.Options.Endpoint, Secrets: []string{g.Options.Secrets}}
	http.Handle("/once", hermod.NewInbox(db, options).Handler(g.work))
	options.Name, options.Ordered = "ordered", true
	box := hermod.NewInbox(db, options)
	http.Handle("/", box.Handler(g.work))
	check(box.CreateTable(ctx))
	_, err = db.Exec("create table if not exists effects (at serial primary key, sequence bigint not null, n text not null)")
	check(err)
	if c := g.Options.CatchUp; c != nil {
		client, err := hermod.New(hermod.Config{URL: c.URL, Key: c.Key})
		check(err)
		check(box.CatchUp(ctx, client, g.work))
	}
	go func() {
		for range time.Tick(time.Second) {
			_ = box.WorkOff(ctx, g.work)
		}
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

// Webhooks whose work has failed once.
var failed []int

func (g given) work(ctx context.Context, tx *sql.Tx, event hermod.InboxEvent) error {
	var data struct{ N int }
	if err := json.Unmarshal(event.Data, &data); err != nil {
		return err
	}
	if slices.Contains(g.Fails, data.N) && !slices.Contains(failed, data.N) {
		failed = append(failed, data.N)
		return fmt.Errorf("no work for %d", data.N)
	}
	_, err := tx.ExecContext(ctx, "insert into effects (sequence, n) values ($1, $2)", event.Sequence, fmt.Sprint(data.N))
	return err
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
