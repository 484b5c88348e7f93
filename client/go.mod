module moviola.example/client

go 1.26
