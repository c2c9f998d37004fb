package main

import (
	"database/sql"
	"fmt"
	"log"
	"time"
)

const takeFirst = `update webhooks set done = true where id =
	(select id from webhooks where not done and sequence > 0 order by sequence limit 1 for update) returning sequence, event, body`

// 5. Work afterwards, in order. A failure holds back what follows until it succeeds.
func work(db *sql.DB) {
	for {
		err := workOnFirst(db)
		if err != nil && err != sql.ErrNoRows {
			log.Print("the work failed, and is tried again: ", err)
		}
		if err != nil {
			time.Sleep(time.Second)
		}
	}
}

func workOnFirst(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var sequence, body string
	var event sql.NullString
	if err := tx.QueryRow(takeFirst).Scan(&sequence, &event, &body); err != nil {
		return err
	}
	fmt.Println(sequence, event.String, body)
	return tx.Commit()
}
