// Answers every question of a suite about the harbour's books.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func refusal(err error) string { return "error: " + err.Error() }

// changed returns the book after a change by a list.
func changed(book Book, do string, list []rawSpan, quay bool) (Book, error) {
	spans, err := readBook(list, quay)
	if err != nil {
		return book, err
	}
	switch do {
	case "put":
		return book.put(spans, quay), nil
	case "clear":
		return book.clear(spans), nil
	}
	return book.shared(spans), nil
}

func answer(question Question) string {
	quay := question.Book == "quay"
	book, err := readBook(question.Spans, quay)
	if err != nil {
		return refusal(err)
	}
	switch question.Op {
	case "count":
		return strconv.Itoa(len(book))
	case "reach":
		if len(book) == 0 {
			return "none"
		}
		return Span{book[0].from, book[len(book)-1].to}.String()
	case "holds", "inside":
		span, err := readSpan(question.Span, quay)
		if err != nil {
			return refusal(err)
		}
		if question.Op == "inside" {
			return book.inside(span, question.Enough).String()
		}
		if book.holds(span) {
			return "yes"
		}
		return "no"
	case "put":
		book, err = changed(book, "put", question.More, quay)
	case "clear":
		book, err = changed(book, "clear", question.Less, quay)
	case "shared":
		book, err = changed(book, "share", question.Other, quay)
	case "steps":
		return walk(question, book, quay)
	}
	if err != nil {
		return refusal(err)
	}
	return book.String()
}

func walk(question Question, book Book, quay bool) string {
	kept := book
	var lines []string
	for _, step := range question.Steps {
		var err error
		switch step.Do {
		case "mark":
			kept = book
		case "back":
			book = kept
		default:
			book, err = changed(book, step.Do, step.Spans, quay)
		}
		if err != nil {
			lines = append(lines, refusal(err))
		} else {
			lines = append(lines, book.String())
		}
	}
	return strings.Join(lines, "\n")
}

func main() {
	suite := os.Args[len(os.Args)-1]
	out := filepath.Join("rcb_tests", "stdout", suite)
	if err := os.MkdirAll(out, 0o755); err != nil {
		panic(err)
	}
	files, _ := filepath.Glob(filepath.Join("rcb_tests", suite, "*.json"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		var group struct{ Cases []struct{ Input json.RawMessage } }
		if err := json.Unmarshal(data, &group); err != nil {
			panic(err)
		}
		stem := strings.TrimSuffix(filepath.Base(file), ".json")
		for index, item := range group.Cases {
			var question Question
			if err := json.Unmarshal(item.Input, &question); err != nil {
				fmt.Fprintln(os.Stderr, stem, index, err)
				continue
			}
			name := fmt.Sprintf("%s@%03d.txt", stem, index)
			if err := os.WriteFile(filepath.Join(out, name), []byte(answer(question)+"\n"), 0o644); err != nil {
				panic(err)
			}
		}
	}
}
