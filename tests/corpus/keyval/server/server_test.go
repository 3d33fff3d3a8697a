package server

import "testing"

func TestParseCommandSplitsArguments(t *testing.T) {}

func TestServeLimitsClients(t *testing.T) {}
