// The keyval server.
package main

import "flag"

func main() {
	address := flag.String("address", ":7000", "where to listen")
	flag.Parse()
	_ = address
}
