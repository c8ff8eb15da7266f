module answer

go 1.19

require github.com/google/go-intervals v0.0.2
