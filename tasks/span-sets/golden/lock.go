package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/go-intervals/timespanset"
)

const spelling = "2006-01-02T15:04Z07:00"

type lock struct{ set *timespanset.Set }

func init() {
	// Zero offsets then read as UTC on every machine.
	time.Local = time.UTC
}

func openLock(visits pairs) (book, error) {
	set, err := readVisits(visits)
	return &lock{set}, err
}

// readVisits writes visits into an empty set one by one; the package panics over one that ends before it begins.
func readVisits(visits pairs) (set *timespanset.Set, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			set, err = nil, refusal("backwards")
		}
	}()
	set = timespanset.Empty()
	for _, item := range visits {
		begin, end := moments(item)
		set.Insert(begin, end)
	}
	return set, nil
}

func moments(item pair) (time.Time, time.Time) {
	return moment(item[0]), moment(item[1])
}

func moment(raw json.RawMessage) time.Time {
	var text string
	fail(json.Unmarshal(raw, &text))
	at, err := time.Parse(spelling, text)
	fail(err)
	return at
}

func visit(begin, end time.Time) string {
	return fmt.Sprintf("[%s, %s)", begin.Format(spelling), end.Format(spelling))
}

func (l *lock) put(more pairs) error    { return l.change(more, l.set.Add) }
func (l *lock) clear(less pairs) error  { return l.change(less, l.set.Sub) }
func (l *lock) share(other pairs) error { return l.change(other, l.set.Intersect) }

func (l *lock) change(visits pairs, how func(*timespanset.Set)) error {
	set, err := readVisits(visits)
	if err == nil {
		how(set)
	}
	return err
}

func (l *lock) copied() book { return &lock{l.set.Copy()} }

func (l *lock) entries() []string {
	if l.set.Empty() {
		return nil
	}
	begin, end := l.set.Extent()
	return l.listing(begin, end, 0)
}

func (l *lock) reach() string {
	if l.set.Empty() {
		return "none"
	}
	return visit(l.set.Extent())
}

func (l *lock) holds(span pair) bool { return l.set.Contains(moments(span)) }

func (l *lock) inside(window pair, enough int64) []string {
	begin, end := moments(window)
	return l.listing(begin, end, time.Duration(enough)*time.Minute)
}

func (l *lock) listing(from, to time.Time, enough time.Duration) []string {
	texts := []string{}
	l.set.IntervalsBetween(from, to, func(begin, end time.Time) bool {
		texts = append(texts, visit(begin, end))
		return enough == 0 || end.Sub(begin) < enough
	})
	return texts
}
