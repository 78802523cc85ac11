# shellcheck shell=bash
# To be sourced by scripts: -h or --help as the first argument prints the comment at the head of the script, and the options of the
# Python script that this comment names; nothing else is done.

if [[ ${1-} == -h || ${1-} == --help ]]; then
  usage=$(sed -n '2,/^[^#]/s/^# \?//p' "$0")
  printf '%s\n' "$usage"
  if [[ $usage =~ 'options of '([a-z_]+\.py) ]]; then
    printf '\n'
    python3 "$(dirname "${BASH_SOURCE[0]}")/${BASH_REMATCH[1]}" --help
  fi
  exit 0
fi
