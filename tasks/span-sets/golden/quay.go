package main

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/google/go-intervals/intervalset"
)

// stretch is the package's interval for whole metres; only a value with real set is more than the zero interval.
type stretch struct {
	low, high int64
	real      bool
}

func between(low, high int64) *stretch {
	if low < high {
		return &stretch{low, high, true}
	}
	return &stretch{}
}

func (s *stretch) String() string { return fmt.Sprintf("[%d, %d)", s.low, s.high) }
func (s *stretch) IsZero() bool   { return !s.real }

func (s *stretch) Before(other intervalset.Interval) bool { return s.high <= other.(*stretch).low }

func (s *stretch) Intersect(other intervalset.Interval) intervalset.Interval {
	o := other.(*stretch)
	return between(larger(s.low, o.low), smaller(s.high, o.high))
}

func (s *stretch) Bisect(other intervalset.Interval) (intervalset.Interval, intervalset.Interval) {
	middle := s.Intersect(other).(*stretch)
	if middle.IsZero() {
		if s.Before(other) {
			return s, &stretch{}
		}
		return &stretch{}, s
	}
	return between(s.low, middle.low), between(middle.high, s.high)
}

func (s *stretch) Adjoin(other intervalset.Interval) intervalset.Interval {
	o := other.(*stretch)
	if s.high == o.low {
		return between(s.low, o.high)
	}
	if o.high == s.low {
		return between(o.low, s.high)
	}
	return &stretch{}
}

func (s *stretch) Encompass(other intervalset.Interval) intervalset.Interval {
	o := other.(*stretch)
	return between(smaller(s.low, o.low), larger(s.high, o.high))
}

func smaller(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

func larger(a, b int64) int64 {
	if a > b {
		return a
	}
	return b
}

type quay struct{ set *intervalset.Set }

var place = regexp.MustCompile(`intervals\[(\d+)\]`)

// readStretches refuses what the interval type cannot stand for; the order is the package's to judge.
func readStretches(spans pairs) (*intervalset.Set, error) {
	list := make([]intervalset.Interval, 0, len(spans))
	for _, item := range spans {
		s := asked(item)
		if s.low > s.high {
			return nil, refusal("backwards")
		}
		if s.low == s.high {
			return nil, refusal("blank")
		}
		list = append(list, s)
	}
	if err := intervalset.CheckSorted(list); err != nil {
		return nil, refusal("disorder " + place.FindStringSubmatch(err.Error())[1])
	}
	return intervalset.NewSet(list), nil
}

// asked reads a span as asked about: it may be empty or backwards and is still no zero interval.
func asked(item pair) *stretch {
	s := &stretch{real: true}
	fail(json.Unmarshal(item[0], &s.low))
	fail(json.Unmarshal(item[1], &s.high))
	return s
}

func openQuay(spans pairs) (book, error) {
	set, err := readStretches(spans)
	return &quay{set}, err
}

func (q *quay) put(more pairs) error    { return q.change(more, q.set.Add) }
func (q *quay) clear(less pairs) error  { return q.change(less, q.set.Sub) }
func (q *quay) share(other pairs) error { return q.change(other, q.set.Intersect) }

func (q *quay) change(spans pairs, how func(intervalset.SetInput)) error {
	set, err := readStretches(spans)
	if err == nil {
		how(set)
	}
	return err
}

func (q *quay) copied() book { return &quay{q.set.Copy()} }

func (q *quay) entries() []string {
	texts := []string{}
	q.set.Intervals(func(entry intervalset.Interval) bool {
		texts = append(texts, entry.(*stretch).String())
		return true
	})
	return texts
}

func (q *quay) reach() string {
	if extent := q.set.Extent(); extent != nil {
		return extent.(*stretch).String()
	}
	return "none"
}

func (q *quay) holds(span pair) bool { return q.set.Contains(asked(span)) }

func (q *quay) inside(window pair, enough int64) []string {
	texts := []string{}
	q.set.IntervalsBetween(asked(window), func(entry intervalset.Interval) bool {
		s := entry.(*stretch)
		texts = append(texts, s.String())
		return enough == 0 || s.high-s.low < enough
	})
	return texts
}
