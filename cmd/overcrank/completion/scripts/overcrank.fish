# Completion of overcrank for fish. Load it with: overcrank completion fish | source

function __overcrank_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] complete -- $words[2..] "$current" 2>/dev/null)
        switch $line
            case :these
            case :files
                __fish_complete_path "$current"
            case '*'
                echo $line
        end
    end
end

complete -c overcrank -f -a '(__overcrank_complete)'
