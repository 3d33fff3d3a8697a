package storage

// Compactor merges old segments and drops what was deleted or overwritten.
type Compactor struct {
	segments []string
	limit    int
}

// ShouldRun reports whether there are too many segments.
func (c *Compactor) ShouldRun() bool { return len(c.segments) > c.limit }

// Merge writes one segment from several, keeping the newest value of each key.
func (c *Compactor) Merge(older, newer map[string][]byte) map[string][]byte {
	merged := make(map[string][]byte, len(older)+len(newer))
	for key, value := range older {
		merged[key] = value
	}
	for key, value := range newer {
		merged[key] = value
	}
	return merged
}
