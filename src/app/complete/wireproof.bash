# Completion of wireproof in bash. What may stand at the cursor says `wireproof __complete`.
_wireproof() {
  local rest=${COMP_LINE:0:COMP_POINT} words=() at piece line breaks='' kept='' current path program
  # Bash also cuts words at = and :. Here they are words as the program gets them.
  for ((at = 0; at <= COMP_CWORD; at++)); do
    piece=${COMP_WORDS[at]}
    local gap=${rest%%[![:space:]]*}
    ((at < COMP_CWORD)) || piece=${rest#"$gap"}
    if ((at == 0)) || [[ -n $gap ]]; then
      words[${#words[@]}]=$piece
    else
      words[${#words[@]} - 1]+=$piece
    fi
    rest=${rest#"$gap"}
    rest=${rest#"$piece"}
  done
  current=${words[${#words[@]} - 1]}
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=':'
  # What stands before the last cut is not replaced.
  [[ -n $breaks ]] && kept=${current%"${current##*[$breaks]}"}
  program=${words[0]/#\~/$HOME}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :nospace) compopt -o nospace 2>/dev/null ;;
      ':files '* | ':folders '*)
        piece=${line#* }
        path=${current#"$piece"}
        compopt -o filenames 2>/dev/null
        local kind=-f
        [[ $line == :folders* ]] && kind=-d
        while IFS= read -r path; do
          path=$piece$path
          COMPREPLY+=("${path#"$kept"}")
        done < <(compgen "$kind" -- "$path")
        ;;
      *)
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$kept"}")
        ;;
    esac
  done < <("$program" __complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _wireproof wireproof
