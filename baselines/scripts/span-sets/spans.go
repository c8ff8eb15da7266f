package main

import "errors"

// End is one end of a span: a moment or a place, and how it is printed.
type End struct {
	at   int64
	text string
}

// Span goes from one end up to the other, which is no longer part of it.
type Span struct{ from, to End }

// Book is a list of spans in order; those of a strict book may touch.
type Book []Span

var (
	errBackwards = errors.New("backwards")
	errBlank     = errors.New("blank")
)

// written returns the book with a span added and joined with what it overlaps or touches; older ends stay.
func (book Book) written(span Span) Book {
	var result Book
	placed := false
	for _, entry := range book {
		switch {
		case entry.to.at < span.from.at:
			result = append(result, entry)
		case span.to.at < entry.from.at:
			if !placed {
				result, placed = append(result, span), true
			}
			result = append(result, entry)
		default:
			if entry.from.at <= span.from.at {
				span.from = entry.from
			}
			if entry.to.at >= span.to.at {
				span.to = entry.to
			}
		}
	}
	if !placed {
		result = append(result, span)
	}
	return result
}

// joined returns the book with entries that touch made one.
func (book Book) joined() Book {
	var result Book
	for _, entry := range book {
		if last := len(result) - 1; last >= 0 && result[last].to.at == entry.from.at {
			result[last].to = entry.to
		} else {
			result = append(result, entry)
		}
	}
	return result
}

func (book Book) holds(span Span) bool {
	if span.from.at >= span.to.at {
		return false
	}
	for _, entry := range book.joined() {
		if entry.from.at <= span.from.at && span.to.at <= entry.to.at {
			return true
		}
	}
	return false
}

// put adds spans one after the other; a strict book leaves alone what it holds and joins all that touches otherwise.
func (book Book) put(more Book, strict bool) Book {
	for _, span := range more {
		if strict && book.holds(span) {
			continue
		}
		book = book.written(span).joined()
	}
	return book
}

func (book Book) clear(less Book) Book {
	for _, gone := range less {
		var rest Book
		for _, entry := range book {
			if gone.to.at <= entry.from.at || entry.to.at <= gone.from.at {
				rest = append(rest, entry)
				continue
			}
			if entry.from.at < gone.from.at {
				rest = append(rest, Span{entry.from, gone.from})
			}
			if gone.to.at < entry.to.at {
				rest = append(rest, Span{gone.to, entry.to})
			}
		}
		book = rest
	}
	return book.joined()
}

// shared returns the common parts with every span of another list, whose ends are printed where they are the same.
func (book Book) shared(other Book) Book {
	var result Book
	for _, entry := range book {
		for _, span := range other {
			part := entry
			if span.from.at >= entry.from.at {
				part.from = span.from
			}
			if span.to.at <= entry.to.at {
				part.to = span.to
			}
			if part.from.at < part.to.at {
				result = append(result, part)
			}
		}
	}
	return result
}

// inside returns the parts in a window, up to the first that is long enough; 0 asks for all.
func (book Book) inside(window Span, enough int64) Book {
	var result Book
	for _, entry := range book {
		if window.from.at > entry.from.at {
			entry.from = window.from
		}
		if window.to.at < entry.to.at {
			entry.to = window.to
		}
		if entry.from.at >= entry.to.at {
			continue
		}
		result = append(result, entry)
		if enough > 0 && entry.to.at-entry.from.at >= enough {
			break
		}
	}
	return result
}
