package script

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// isNative reports whether specifier names a module of the host: k6 and everything below it.
func isNative(specifier string) bool { return specifier == "k6" || strings.HasPrefix(specifier, "k6/") }

// locate turns an import's specifier into an absolute file path; dir is the importing file's directory.
func locate(specifier, dir string) (string, error) {
	switch {
	case strings.HasPrefix(specifier, "file://"):
		u, err := url.Parse(specifier)
		if err != nil {
			return "", fmt.Errorf("importing %q: %w", specifier, err)
		}
		return filepath.FromSlash(u.Path), nil
	case strings.Contains(specifier, "://"):
		return "", fmt.Errorf("importing %q: remote modules are not offered; download the file and import it by its path, such as './lib.js'", specifier)
	case filepath.IsAbs(specifier):
		return specifier, nil
	case strings.HasPrefix(specifier, "./"), strings.HasPrefix(specifier, "../"):
		return filepath.Join(dir, filepath.FromSlash(specifier)), nil
	}
	return "", fmt.Errorf("importing %q: neither a module of this host nor a path; packages from a registry are not offered: bundle the package into one file and import that by its path, such as './bundle.js'", specifier)
}

// readModule reads a module's source. Only JavaScript and TypeScript files are modules.
func readModule(path, shown string) (string, error) {
	switch filepath.Ext(path) {
	case ".json":
		return "", fmt.Errorf("importing %s: JSON is not a module; use JSON.parse(open('./%s'))", shown, filepath.Base(path))
	case ".tsx", ".jsx":
		return "", fmt.Errorf("importing %s: JSX is not offered; use .js, .mjs or .ts", shown)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", describeMissing(path, shown, err)
	}
	return strings.TrimPrefix(string(source), "\ufeff"), nil
}

func describeMissing(path, shown string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading %s: %w", shown, plain(err))
	}
	for _, ext := range []string{".js", ".ts", "/index.js"} {
		if _, found := os.Stat(path + ext); found == nil {
			return fmt.Errorf("reading %s: there is no such file, but there is %s%s: imports name the whole file", shown, shown, ext)
		}
	}
	return fmt.Errorf("reading %s: there is no such file", shown)
}

// plain takes the operation and path off an error of the file system.
func plain(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// display is the path as users know it: relative to the working directory where it lies below it.
func display(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return filepath.ToSlash(rel)
}

// notOffered refuses a host module by name.
func notOffered(specifier string, offered []string) error {
	names := slices.Clone(offered)
	slices.Sort(names)
	return fmt.Errorf("importing %q: this host does not offer it; it offers %s", specifier, strings.Join(names, ", "))
}
