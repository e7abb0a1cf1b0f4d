# Completion of overcrank for bash. Load it with: source <(overcrank completion bash)

_overcrank() {
    local IFS=$'\n' word line current before="" words=() joined=0
    # Bash takes words apart at = and at :, which the program wants whole.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        word=${word//\\/}
        if [[ $word == "=" || $word == ":" ]] && ((${#words[@]})); then
            words[${#words[@]}-1]+=$word
            joined=1
        elif ((joined)); then
            words[${#words[@]}-1]+=$word
            joined=0
        else
            words+=("$word")
        fi
    done
    current=${words[${#words[@]}-1]}
    words[${#words[@]}-1]=${current#[\"\']}
    [[ $current == --*=* ]] && before=${current%%=*}=
    COMPREPLY=()
    while read -r line; do
        case $line in
            :these) ;;
            :files)
                compopt -o filenames 2>/dev/null
                COMPREPLY+=($(compgen -f -- "${current#"$before"}"))
                ;;
            *)
                line=${line%%$'\t'*}
                printf -v line '%q' "${line#"$before"}"
                COMPREPLY+=("$line")
                ;;
        esac
    done < <("${COMP_WORDS[0]}" complete -- "${words[@]}" 2>/dev/null)
}

complete -F _overcrank overcrank
