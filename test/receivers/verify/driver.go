package main

import (
	"bufio"
	"driver/webhooks"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Prints whether each vector, a line of stdin, is genuine.
func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		given := strings.Split(lines.Text(), "\t")
		now, _ := strconv.ParseInt(given[5], 10, 64)
		fmt.Println(webhooks.IsGenuine([]byte(given[0]), given[1], given[2], given[3], strings.Split(given[4], " "), time.Unix(now, 0)))
	}
}
