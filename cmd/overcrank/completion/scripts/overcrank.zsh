#compdef overcrank
# Completion of overcrank for zsh. Load it with: source <(overcrank completion zsh)
# or write it to a file called _overcrank in a folder of $fpath.

_overcrank() {
    local line files=0
    local -a candidates helps
    while IFS= read -r line; do
        case $line in
            :these) ;;
            :files) files=1 ;;
            *$'\t'*)
                candidates+=("${line%%$'\t'*}")
                helps+=("${line%%$'\t'*}  -- ${line#*$'\t'}")
                ;;
            *)
                candidates+=("$line")
                helps+=("$line")
                ;;
        esac
    done < <("${(Q)words[1]}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    (( $#candidates )) && compadd -l -d helps -a candidates
    (( files )) && _files
    return 0
}

if [ "$funcstack[1]" = "_overcrank" ]; then
    _overcrank "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -D; }
    compdef _overcrank overcrank
fi
