#!/bin/sh
# A term in a minute: six teams enter the bundled course challenge, and its board is closed and opened.
# Everything happens in a copy, so that the challenge's own folder stays as it is.
set -eu
score=${SCORE:-score}
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -r "$root/challenges/course-2026" "$place/course"
sent=$root/submissions_example/course-2026/good
cd "$place"

say() { printf '\n$ score %s\n' "$*"; }
enter() { # team, entry, time, method
  "$score" add course "$sent/$1-$2.csv" --team "$1" --at "$3" --answer "method=$4" --quiet
}

say seal course
"$score" seal course --at 2026-09-30T12:00:00+02:00

say add course ... --team ...
enter aurora 1 2026-10-05T10:00:00+02:00 "most popular by age"
enter boreas 1 2026-10-06T09:30:00+02:00 "item neighbours"
enter delta 1 2026-10-06T23:59:00+02:00 "random forest"
enter aurora 2 2026-10-20T18:00:00+02:00 "matrix factorisation"
enter cirrus 1 2026-11-02T11:00:00+01:00 "implicit feedback"
enter eclipse 1 2026-11-03T16:20:00+01:00 "two towers"
enter boreas 2 2026-11-15T08:00:00+01:00 "factorisation, tuned"
enter cirrus 2 2026-12-01T20:00:00+01:00 "implicit feedback, more factors"
enter fjord 1 2026-12-10T14:00:00+01:00 "nearest readers"
enter fjord 2 2027-01-10T23:00:00+01:00 "a new idea"
enter eclipse 2 2027-01-12T10:00:00+01:00 "two towers, averaged"
enter delta 2 2027-01-15T23:59:59+01:00 "gradient boosting"

say add course ... '(too late)'
enter delta 1 2027-01-16T00:00:00+01:00 "once more" || true

say board course '(as participants see it during the term)'
"$score" board course --at 2027-01-15T23:59:59+01:00

say decide course select 2
"$score" decide course select 2 --reason "our choice" --by boreas --at 2027-01-15T20:00:00+01:00

say audit course
"$score" audit course --at 2027-01-16T09:00:00+01:00
say decide course disqualify fjord --reason '"the file of another team"' --by jury
"$score" decide course disqualify fjord --reason "the file of another team" --by jury \
  --at 2027-01-16T09:30:00+01:00
say decide course select 7 '(too late)'
"$score" decide course select 7 --reason "now we know" --by boreas --at 2027-01-16T10:00:00+01:00 \
  || true

say board course '(the private lists decide)'
"$score" board course --at 2027-01-17T12:00:00+01:00
say why course boreas
"$score" why course boreas --at 2027-01-17T12:00:00+01:00

say reveal course -o open
"$score" reveal course -o open --at 2027-01-17T12:00:00+01:00
say verify course
"$score" verify course
say verify open
"$score" verify open
