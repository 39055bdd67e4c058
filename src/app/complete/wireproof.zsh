#compdef wireproof
# Completion of wireproof in zsh. What may stand at the cursor says `wireproof __complete`.
_wireproof() {
  local line kept='' paths='' program=${(Q)words[1]/#\~/$HOME}
  local -a shown behind
  for line in "${(@f)$("$program" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :nospace) behind=(-S '') ;;
      ':files '*) paths=files kept=${line#* } ;;
      ':folders '*) paths=folders kept=${line#* } ;;
      *$'\t'*) shown+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) shown+=("${line//:/\\:}") ;;
    esac
  done
  (( ${#shown} )) && _describe -t wireproof wireproof shown "${behind[@]}"
  if [[ -n $paths ]]; then
    [[ -n $kept ]] && compset -P "${(b)kept}"
    if [[ $paths == folders ]]; then _files -/; else _files; fi
  fi
}
if [[ ${funcstack[1]} == _wireproof ]]; then
  _wireproof "$@"
else
  compdef _wireproof wireproof
fi
