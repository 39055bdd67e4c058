# Completion of wireproof in fish. What may stand at the cursor says `wireproof __complete`.
function __wireproof_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program __complete -- $words "$current" 2>/dev/null)
        switch $line
            case ':nospace'
                continue
            case ':files *' ':folders *'
                set -l kept (string replace -r -- '^:[a-z]+ ' '' $line)
                set -l path (string sub -s (math (string length -- "$kept") + 1) -- "$current")
                set -l found
                if string match -q ':folders*' -- $line
                    set found (__fish_complete_directories "$path")
                else
                    set found (__fish_complete_path "$path")
                end
                for file in $found
                    echo $kept$file
                end
            case '*'
                echo $line
        end
    end
end
complete -c wireproof -f -a '(__wireproof_complete)'
