// Command licenses lists every module that this project is built or tested with and fails unless each is under a licence
// that a project under Apache-2.0 may depend on.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// systems are those whose builds are looked at: each may bring modules of its own.
var systems = []string{"linux", "darwin", "windows"}

// tags are those of tests that take longer.
const tags = "e2e slow"

func main() {
	modules, err := used()
	if err == nil && len(modules) == 0 {
		err = errors.New("no module is used, which cannot be")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
	if !report(os.Stdout, modules) {
		os.Exit(1)
	}
}

// module is a dependency and the folder its files are in.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// used lists the modules of all packages in the build, tests included, on every system.
func used() ([]module, error) {
	path, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		return nil, fmt.Errorf("finding this module: %w", err)
	}
	packages := strings.TrimSpace(string(path)) + "/..." // wherever in the module this runs
	found := map[string]module{}
	for _, system := range systems {
		cmd := exec.Command("go", "list", "-deps", "-test", "-tags", tags, "-json=Module", packages)
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("listing the packages for %s: %w", system, err)
		}
		if err := collect(bytes.NewReader(out), found); err != nil {
			return nil, err
		}
	}
	all := make([]module, 0, len(found))
	for _, m := range found {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

func collect(r io.Reader, found map[string]module) error {
	for d := json.NewDecoder(r); ; {
		var p struct{ Module *module }
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading what go list said: %w", err)
		}
		if p.Module != nil && !p.Module.Main {
			found[p.Module.Path] = *p.Module
		}
	}
}

// report prints a line for each module and says whether all are allowed.
func report(w io.Writer, modules []module) bool {
	ok := true
	for _, m := range modules {
		licence, err := licenceOf(m.Dir)
		if err != nil {
			licence, ok = "FAIL: "+err.Error(), false
		}
		fmt.Fprintf(w, "%-50s %-40s %s\n", m.Path, m.Version, licence)
	}
	fmt.Fprintf(w, "%d modules\n", len(modules))
	return ok
}

// licenceOf names the licences in a module's folder. Of several files all must be allowed; the first that is not decides.
func licenceOf(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("its files are not there: %w", err)
	}
	var found []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "UNLICEN") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		licence, err := classify(string(text))
		switch {
		case err != nil:
			return "", fmt.Errorf("%s: %w", e.Name(), err)
		case !allowed[licence]:
			return "", fmt.Errorf("%s: %s is not allowed", e.Name(), licence)
		case !slices.Contains(found, licence):
			found = append(found, licence)
		}
	}
	if len(found) == 0 {
		return "", errors.New("it has no licence file")
	}
	return strings.Join(found, " and "), nil
}
