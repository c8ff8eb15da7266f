package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// question is one input of a suite; ends of spans are whole numbers (quay) or texts (lock).
type question struct {
	Op     string   `json:"op"`
	Book   string   `json:"book"`
	Spans  pairs    `json:"spans"`
	More   pairs    `json:"more"`
	Less   pairs    `json:"less"`
	Other  pairs    `json:"other"`
	Span   pair     `json:"span"`
	Enough int64    `json:"enough"`
	Steps  []action `json:"steps"`
}

type action struct {
	Do    string `json:"do"`
	Spans pairs  `json:"spans"`
}

type (
	pair  [2]json.RawMessage
	pairs []pair
)

// refusal is an error whose text is the contract's reason.
type refusal string

func (r refusal) Error() string { return string(r) }

// book is what both kinds of books can do; changes happen in place.
type book interface {
	put(more pairs) error
	clear(less pairs) error
	share(other pairs) error
	copied() book
	entries() []string
	reach() string
	holds(span pair) bool
	inside(window pair, enough int64) []string
}

func openBook(kind string, spans pairs) (book, error) {
	if kind == "lock" {
		return openLock(spans)
	}
	return openQuay(spans)
}

func answer(q question) string {
	opened, err := openBook(q.Book, q.Spans)
	if err != nil {
		return failure(err)
	}
	switch q.Op {
	case "show":
		return listed(opened.entries())
	case "count":
		return fmt.Sprint(len(opened.entries()))
	case "reach":
		return opened.reach()
	case "holds":
		if opened.holds(q.Span) {
			return "yes"
		}
		return "no"
	case "inside":
		return listed(opened.inside(q.Span, q.Enough))
	case "put":
		err = opened.put(q.More)
	case "clear":
		err = opened.clear(q.Less)
	case "shared":
		err = opened.share(q.Other)
	case "steps":
		return walk(opened, q.Steps)
	default:
		panic("unknown op " + q.Op)
	}
	if err != nil {
		return failure(err)
	}
	return listed(opened.entries())
}

// walk does one step after another on the same book and reports it after each.
func walk(current book, steps []action) string {
	kept := current.copied()
	lines := make([]string, 0, len(steps))
	for _, step := range steps {
		var err error
		switch step.Do {
		case "put":
			err = current.put(step.Spans)
		case "clear":
			err = current.clear(step.Spans)
		case "share":
			err = current.share(step.Spans)
		case "mark":
			kept = current.copied()
		case "back":
			current = kept.copied()
		default:
			panic("unknown step " + step.Do)
		}
		if err != nil {
			lines = append(lines, failure(err))
		} else {
			lines = append(lines, listed(current.entries()))
		}
	}
	return strings.Join(lines, "\n")
}

func listed(entries []string) string {
	return "{" + strings.Join(entries, ", ") + "}"
}

func failure(err error) string {
	return "error: " + err.Error()
}
