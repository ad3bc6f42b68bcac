GO       ?= go
BIN      := bin/wsgov
RUN      ?= bin/four-phases.ndjson.gz
FUZZTIME ?= 10s

.PHONY: build demo test race e2e lint licenses fuzz bench cross clean

build:
	$(GO) build -o $(BIN) ./cmd/wsgov

# Four phases against a gateway in its own process, then the report: a bit over a minute.
demo: build
	./$(BIN) run --gateway --gateway-flags "--journal bin/journal.ndjson" --out json=$(RUN) examples/four-phases.js
	./$(BIN) report --journal bin/journal.ndjson $(RUN)

# Unit tests, in seconds.
test:
	$(GO) test ./...

# The command is left out: its scripts load real gateways under real timeouts, which the detector's pace would miss.
race:
	$(GO) test -race $$($(GO) list ./... | grep -v /cmd/)

# What takes longer: the built program against real gateways, and memory under large inputs. One package at a time, so that
# they do not take each other's cores.
e2e: build
	$(GO) test -tags 'e2e slow' -p 1 -timeout 15m ./cmd/wsgov ./postproc/...

lint: licenses
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'not formatted: run gofmt -w .'; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags 'e2e slow' ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags 'e2e slow' ./...
	$(GO) mod tidy -diff

# Every module that is built or tested with, and its licence.
licenses:
	$(GO) run ./internal/licenses

# Every fuzz target for a while.
fuzz:
	@grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r dir; do \
	  for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | sed 's/func //'); do \
	    echo "$$dir $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$dir || exit 1; \
	  done; done

# Measured beside a raw loopback ping-pong in the same run; bench/RESULTS.md keeps recorded runs.
bench:
	$(GO) run ./bench

# Every system this is meant for.
cross:
	@for os in linux darwin windows; do for arch in amd64 arm64; do \
	  echo "$$os/$$arch"; GOOS=$$os GOARCH=$$arch CGO_ENABLED=0 $(GO) build ./... || exit 1; \
	done; done

clean:
	rm -rf bin
