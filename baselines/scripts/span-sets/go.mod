module harbour

go 1.19
