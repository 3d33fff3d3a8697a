// Package server answers clients over TCP.
package server

import (
	"bufio"
	"errors"
	"strings"
)

// ErrUnknownCommand is sent back for a line that is no command.
var ErrUnknownCommand = errors.New("unknown command")

// Command is one parsed line of a client.
type Command struct {
	Name string
	Args []string
}

// ParseCommand reads one line and splits it into a name and arguments.
func ParseCommand(reader *bufio.Reader) (Command, error) {
	line, err := reader.ReadString('\n')
	if err != nil {
		return Command{}, err
	}
	parts := strings.Fields(line)
	if len(parts) == 0 {
		return Command{}, ErrUnknownCommand
	}
	return Command{Name: strings.ToUpper(parts[0]), Args: parts[1:]}, nil
}
