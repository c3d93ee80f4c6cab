/** Text tools: `Wrap` breaks lines one character late, and one test says so. */
export const GO: Record<string, string> = {
  "go.mod": "module example.com/text\n\ngo 1.19\n",
  "gates/health.sh": `#!/bin/sh
set -e
cd "$(dirname "$0")/.."
go vet ./...
go test ./...
`,
  "wrap.go": `package text

import "strings"

// Wrap breaks a text into lines of at most width characters.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Reverse turns a text round.
func Reverse(text string) string {
	runes := []rune(text)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

// Count says how often each word is there.
func Count(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.Fields(strings.ToLower(text)) {
		counts[word]++
	}
	return counts
}
`,
  "wrap_test.go": `package text

import (
	"reflect"
	"testing"
)

func TestWrap(t *testing.T) {
	got := Wrap("the quick brown fox", 9)
	want := []string{"the quick", "brown fox"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Wrap() = %q, want %q", got, want)
	}
}

func TestWrapIsNeverWider(t *testing.T) {
	for _, line := range Wrap("aa bb cc dd ee", 7) {
		if len(line) > 7 {
			t.Fatalf("%q is wider than 7", line)
		}
	}
}

func TestReverse(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"word", "stone", "enots"},
		{"empty", "", ""},
		{"umlaut", "tür", "rüt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Reverse(tt.in); got != tt.want {
				t.Errorf("Reverse(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}
`,
  "count_test.go": `package text

import "testing"

func TestCount(t *testing.T) {
	counts := Count("One two one")
	if counts["one"] != 2 {
		t.Errorf("one: %d", counts["one"])
	}
	if counts["two"] != 1 {
		t.Errorf("two: %d", counts["two"])
	}
}
`,
  ".gitignore": "bin/\n",
};

export const FIXED_WRAP = {
  replace: "wrap.go",
  from: `line != "" && len(line)+len(word) > width`,
  to: `line != "" && len(line)+1+len(word) > width`,
};
