// Package client talks to a server.
package client

import "net"

// Pool keeps idle connections for reuse.
type Pool struct {
	idle    chan net.Conn
	address string
}

// Acquire takes an idle connection or dials a new one.
func (p *Pool) Acquire() (net.Conn, error) {
	select {
	case connection := <-p.idle:
		return connection, nil
	default:
		return net.Dial("tcp", p.address)
	}
}

// Release gives a connection back, or closes it if the pool is full.
func (p *Pool) Release(connection net.Conn) {
	select {
	case p.idle <- connection:
	default:
		connection.Close()
	}
}
