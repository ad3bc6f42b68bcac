package script

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Files are the data files that scripts open, read once for all VUs.
type Files struct {
	mu   sync.Mutex
	read map[string][]byte
}

// Open returns the content of a file, which the caller must not change. A relative name is looked up in dirs in their
// order; a file:// URL is taken as it is.
func (f *Files) Open(name string, dirs ...string) ([]byte, error) {
	if name == "" {
		return nil, fmt.Errorf("open(): the file's name is empty")
	}
	var first error
	for _, path := range candidates(name, dirs) {
		data, err := f.load(path)
		if err == nil {
			return data, nil
		}
		if first == nil {
			first = fmt.Errorf("open(%q): reading %s: %w", name, display(path), plain(err))
		}
	}
	return nil, first
}

func candidates(name string, dirs []string) []string {
	if u, err := url.Parse(name); err == nil && u.Scheme == "file" {
		return []string{filepath.FromSlash(u.Path)}
	}
	if filepath.IsAbs(name) || len(dirs) == 0 {
		return []string{name}
	}
	paths := make([]string, 0, len(dirs))
	for _, dir := range dirs {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, "./"))))
	}
	return paths
}

func (f *Files) load(path string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if data, ok := f.read[path]; ok {
		return data, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if f.read == nil {
		f.read = map[string][]byte{}
	}
	f.read[path] = data
	return data, nil
}
