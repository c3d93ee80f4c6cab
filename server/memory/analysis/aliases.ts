import { stem, tokenize } from "./tokens.ts";

/** For a term, the terms that mean nearly the same and how much a match through them counts. */
export type Aliases = ReadonlyMap<string, readonly Alias[]>;
export type Alias = { term: string; factor: number };

/** Two names of one thing: a match through the other name counts almost fully. */
const SAME = 0.9;
/** Words of one meaning in most notes: a match through one of them is weaker evidence. */
const SIMILAR = 0.55;

const SAME_THING = `
k8s kubernetes
postgres postgresql pg
js javascript
ts typescript
py python
golang go-lang
db database
env environment
repo repository
dep dependency
config configuration
auth authentication
authn authentication
authz authorization
perms permission
tz timezone
i18n internationalization
l10n localization
a11y accessibility
gh github
tf terraform
regex regexp
dir directory folder
param parameter
arg argument
msg message
pkg package
lib library
fn function
var variable
async asynchronous
cert certificate
creds credential
prod production
dev development
docs documentation
infra infrastructure
proc process
mem memory
ssl tls
websocket ws
monorepo workspace
pr mergerequest
oom outofmemory
e2e endtoend
ui frontend
`;

const SIMILAR_WORDS = `
fail break error crash broken
crash segfault panic abort die
hang freeze stuck deadlock block stall
flaky intermittent sporadic random nondeterministic
slow latency performance sluggish speed
remove delete drop erase purge
create add generate make
login signin logon
timeout expire deadline
missing absent undefined notfound
duplicate twice repeated double
old stale outdated obsolete
revert rollback undo restore
upload push publish
fetch download pull retrieve
start launch boot spawn
stop kill terminate shutdown quit
secret token credential password key
permission access forbidden denied unauthorized
memory heap leak oom
disk storage space filesystem
date time timestamp timezone clock
test spec suite
mock stub fake
lint linter format formatter prettier
build compile bundle
encode encoding charset utf
concurrent parallel race simultaneous
cache cached memoize
retry reattempt again backoff
schema migration migrate
quote escape quoting
line newline crlf
case lowercase uppercase
port address listen bind
proxy gateway loadbalancer
queue job worker
email mail smtp
picture image photo
price amount money cost
customer user client
`;

const addGroup = (table: Map<string, Alias[]>, terms: readonly string[], factor: number): void => {
  for (const term of terms)
    for (const other of terms) {
      if (other === term) continue;
      const known = table.get(term) ?? [];
      if (!known.some((alias) => alias.term === other)) known.push({ term: other, factor });
      table.set(term, known);
    }
};

const groupsOf = (text: string): string[][] =>
  text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim().toLowerCase())
    .filter((line) => line !== "")
    .map((line) =>
      line
        .split(/[\s=,]+/)
        .map(termOf)
        .filter((term) => term !== ""),
    );

// An alias may be written in any way a learning may write it: "go-lang" is found as "golang".
const termOf = (word: string): string =>
  tokenize(word).find(({ kind }) => kind === "whole")?.term ?? stem(word);

/**
 * The built-in table with the user's lines on top: one group a line, words separated by spaces, `=` or
 * commas, `#` for comments.
 */
export const createAliases = (userLines = ""): Aliases => {
  const table = new Map<string, Alias[]>();
  for (const group of groupsOf(userLines)) addGroup(table, group, SAME);
  for (const group of groupsOf(SAME_THING)) addGroup(table, group, SAME);
  for (const group of groupsOf(SIMILAR_WORDS)) addGroup(table, group, SIMILAR);
  return table;
};
