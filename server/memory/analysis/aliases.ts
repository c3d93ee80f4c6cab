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
remove delete drop erase purge forget
create add generate make
change edit modify alter update
login signin logon
logout signout
timeout expire deadline
missing absent undefined notfound lack vanish
duplicate twice repeated double again
old stale outdated obsolete
revert rollback undo restore
upload send transfer
fetch download pull retrieve
start launch boot spawn
stop kill terminate shutdown quit end
secret token credential password key
permission access forbidden denied unauthorized refuse
memory heap leak ram
disk storage space filesystem
date time timestamp clock calendar
weekend friday
test spec suite check
mock stub fake
lint linter format formatter prettier style
build compile bundle
encode encoding charset utf character
concurrent parallel race simultaneous
cache cached memoize
retry reattempt backoff
schema migration structure
quote escape quoting
line newline crlf
case lowercase uppercase
port address listen bind
proxy gateway loadbalancer
queue job worker background
email mail smtp message newsletter
picture image photo
price amount money cost sum
invoice bill billing charge
customer user client visitor tenant
docker container
server host machine node instance
release deploy deployment rollout ship publish
ci pipeline workflow
checkout clone
webhook callback notification
signature signed forged
csv spreadsheet excel
table relation
backup dump copy
alert page notify oncall
network subnet segment
cdn edge cloudflare
mobile phone smartphone
touch finger tap
print paper
dark night
log journal trace
history audit
pagination paging scroll
staging rehearsal testsystem
rotate exchange replace renew
certificate tls https
setting option flag switch
component widget
button control
text string label
file document
folder directory
url link address
header metadata
query select search
index key
process daemon service
thread processor cpu core
dependency library package module
script program
shell bash
wrong incorrect bad
empty blank none
big large huge giant
small tiny short
fast quick rapid
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
