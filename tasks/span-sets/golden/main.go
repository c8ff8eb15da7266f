// Command answer answers a suite of questions about the harbour's books. The packages do the work; this program
// translates the task's neutral contract into their calls and their refusals into the task's reason words.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type suiteFile struct {
	Cases []struct {
		Input question `json:"input"`
	} `json:"cases"`
}

func main() {
	if len(os.Args) != 3 || os.Args[1] != "--cases-dir" {
		fail(errors.New("usage: answer --cases-dir SUITE"))
	}
	suite := os.Args[2]
	stems, err := filepath.Glob(filepath.Join("rcb_tests", suite, "*.json"))
	fail(err)
	out := filepath.Join("rcb_tests", "stdout", suite)
	fail(os.MkdirAll(out, 0o755))
	for _, path := range stems {
		fail(answerFile(path, out))
	}
}

func answerFile(path, out string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file suiteFile
	if err := json.Unmarshal(text, &file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	stem := strings.TrimSuffix(filepath.Base(path), ".json")
	for index, item := range file.Cases {
		name := filepath.Join(out, fmt.Sprintf("%s@%03d.txt", stem, index))
		if err := os.WriteFile(name, []byte(answer(item.Input)+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
