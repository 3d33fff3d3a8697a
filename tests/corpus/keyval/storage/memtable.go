package storage

import "sync"

// MemTable holds the newest values in memory, sorted by key.
type MemTable struct {
	mutex sync.RWMutex
	items map[string]entry
}

type entry struct {
	value   []byte
	expires int64
	deleted bool
}

// Get returns the value of a key unless it is deleted or has expired.
func (t *MemTable) Get(key string, now int64) ([]byte, bool) {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	found, ok := t.items[key]
	if !ok || found.deleted || (found.expires > 0 && found.expires < now) {
		return nil, false
	}
	return found.value, true
}

// Put stores a value; an expiry of zero means for ever.
func (t *MemTable) Put(key string, value []byte, expires int64) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.items[key] = entry{value: value, expires: expires}
}
