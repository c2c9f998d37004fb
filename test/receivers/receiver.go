// A receiver on Go's HTTP server. Arguments: its port, how long it keeps idle connections, in milliseconds, and for TLS the
// files of its certificate and its key. Prints the length of each body that it has read to its end.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

func receive(w http.ResponseWriter, r *http.Request) {
	isEarly := r.URL.Path == "/early"
	if isEarly {
		answer(w)
		_ = http.NewResponseController(w).Flush()
	}
	length, _ := io.Copy(io.Discard, r.Body)
	fmt.Println(length)
	if !isEarly {
		answer(w)
	}
}

func answer(w http.ResponseWriter) {
	_ = http.NewResponseController(w).EnableFullDuplex()
	w.Header().Set("content-length", "2")
	_, _ = w.Write([]byte("ok"))
}

func main() {
	keepAlive, _ := strconv.Atoi(os.Args[2])
	server := &http.Server{
		Addr:        "127.0.0.1:" + os.Args[1],
		Handler:     http.HandlerFunc(receive),
		IdleTimeout: time.Duration(keepAlive) * time.Millisecond,
	}
	if len(os.Args) > 3 {
		// Hermod speaks HTTP/1.1 alone, and the server would offer HTTP/2.
		server.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
		panic(server.ListenAndServeTLS(os.Args[3], os.Args[4]))
	}
	panic(server.ListenAndServe())
}
