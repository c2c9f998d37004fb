module hermod

go 1.24
