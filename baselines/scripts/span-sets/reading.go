package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const pen = "2006-01-02T15:04Z07:00"

type rawSpan [2]json.RawMessage

// Question is one case's input.
type Question struct {
	Op, Book                 string
	Spans, More, Less, Other []rawSpan
	Span                     rawSpan
	Enough                   int64
	Steps                    []struct {
		Do    string
		Spans []rawSpan
	}
}

func readEnd(raw json.RawMessage, quay bool) (End, error) {
	if quay {
		at, err := strconv.ParseInt(string(raw), 10, 64)
		return End{at, strconv.FormatInt(at, 10)}, err
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return End{}, err
	}
	moment, err := time.Parse(pen, text)
	return End{moment.Unix() / 60, moment.Format(pen)}, err
}

func readSpan(raw rawSpan, quay bool) (Span, error) {
	from, err := readEnd(raw[0], quay)
	if err != nil {
		return Span{}, err
	}
	to, err := readEnd(raw[1], quay)
	return Span{from, to}, err
}

// readBook reads a list by the rules of a book.
func readBook(raws []rawSpan, quay bool) (Book, error) {
	var book Book
	for _, raw := range raws {
		span, err := readSpan(raw, quay)
		switch {
		case err != nil:
			return nil, err
		case span.to.at < span.from.at:
			return nil, errBackwards
		case quay && span.to.at == span.from.at:
			return nil, errBlank
		case quay:
			book = append(book, span)
		case span.to.at > span.from.at:
			book = book.written(span)
		}
	}
	for index := 1; quay && index < len(book); index++ {
		if book[index].from.at < book[index-1].to.at {
			return nil, fmt.Errorf("disorder %d", index-1)
		}
	}
	return book, nil
}

func (span Span) String() string { return "[" + span.from.text + ", " + span.to.text + ")" }

func (book Book) String() string {
	texts := make([]string, len(book))
	for index, entry := range book {
		texts[index] = entry.String()
	}
	return "{" + strings.Join(texts, ", ") + "}"
}
