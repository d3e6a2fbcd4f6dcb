# Bash completion of gpuccl. Options come from --help and algorithms from `gpuccl list`, so there is nothing to keep
# in step with the program.

_gpuccl_options() {
  "$1" $2 --help 2>/dev/null | grep -oE '^  -[-A-Za-z,]+' | tr ',' '\n' | tr -d ' '
}

# The words an option takes, where its help says them as a|b|c, in two lines if one would be too long.
_gpuccl_words() {
  "$1" "$2" --help 2>/dev/null | sed -e '/|$/{N;s/\n *//' -e '}' | grep -E -- "(^  |,)$3[ ,]" | head -n 1 | awk '{print $2}' | grep -F '|' | tr '|' '\n'
}

_gpuccl() {
  local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]}
  local previous=${COMP_WORDS[COMP_CWORD-1]} words=""
  COMPREPLY=()

  if [ "$COMP_CWORD" -eq 1 ]; then
    words="label measure join bench compare contacts match view generate list info --help --version"
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  # --option=value arrives as three words.
  if [ "$current" = = ]; then
    current=""
  elif [ "$previous" = = ]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $previous in
    --algo) words="$([ "$command" = bench ] && echo all || echo auto) $("$program" list 2>/dev/null | awk '{print $1}' | sort -u)" ;;
    --measure) words="all $("$program" list --measures 2>/dev/null | sed -n 's/^\([^ ]*\) (\([a-z]*\);.*/\1 \2/p' | tr ' ' '\n' | sort -u)" ;;
    -*) words=$(_gpuccl_words "$program" "$command" "$previous") ;;
    generate) [[ $current == -* ]] || words=$("$program" generate --help 2>/dev/null | sed -n 's/^ \{10,\}\([a-z]*\): .*/\1/p') ;;
  esac
  if [ -z "$words" ] && [[ $current == -* ]]; then words=$(_gpuccl_options "$program" "$command"); fi
  if [ -n "$words" ]; then
    local listed=""  # what stands before the name in a list of names
    [[ $current != *,* ]] || listed=${current%,*},
    mapfile -t COMPREPLY < <(compgen -P "$listed" -W "$words" -- "${current#"$listed"}")
  else
    # The word is as it was typed, in quotes or with backslashes; readline puts such around what it gets back.
    compopt -o filenames 2>/dev/null
    current=${current#[\"\']}
    mapfile -t COMPREPLY < <(compgen -f -- "${current//\\/}")
  fi
}

complete -F _gpuccl gpuccl
