import { FILES } from "./completion.ts";

// A candidate may have a tab and its meaning behind it: fish shows that of itself, zsh by _describe, and bash,
// which knows no such thing, in the list of a second Tab (COMP_TYPE 63) only: what it inserts is the word.

const bash = (name: string) => `_${name.replaceAll("-", "_")}_complete() {
  local IFS=$'\\n' candidates
  candidates=($(${name} --complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [ "\${candidates[0]}" = "${FILES}" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  elif [ "\${COMP_TYPE:-9}" = 63 ] && [ "\${#candidates[@]}" -gt 1 ]; then
    COMPREPLY=("\${candidates[@]/$'\\t'/  -- }")
  else
    COMPREPLY=("\${candidates[@]%%$'\\t'*}")
  fi
}
complete -F _${name.replaceAll("-", "_")}_complete ${name}`;

const zsh = (name: string) => `_${name.replaceAll("-", "_")}_complete() {
  local -a candidates
  candidates=("\${(@f)$(${name} --complete "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
  if [[ "\${candidates[1]}" == "${FILES}" ]]; then _files; return; fi
  candidates=("\${(@)candidates//:/\\\\:}")
  candidates=("\${(@)candidates//$'\\t'/:}")
  _describe ${name} candidates
}
compdef _${name.replaceAll("-", "_")}_complete ${name}`;

const fish = (name: string) => `function __${name.replaceAll("-", "_")}_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (${name} --complete $words[2..-1] 2>/dev/null)
    if test "$candidates[1]" = "${FILES}"
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $candidates
    end
end
complete -c ${name} -f -a '(__${name.replaceAll("-", "_")}_complete)'`;

const SHELLS = { bash, zsh, fish };

export type Shell = keyof typeof SHELLS;

/** The script that a shell sources; it asks the program itself at every Tab. */
export const completionScript = (shell: Shell, programs: readonly string[]): string => {
  const head = shell === "zsh" ? "autoload -Uz compinit && compinit -u\n" : "";
  return `${head}${programs.map((name) => SHELLS[shell](name)).join("\n")}\n`;
};
