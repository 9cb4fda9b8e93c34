import { type Command } from 'commander';
import { usage } from '../command-failure.js';
import { type CommonOptions, type Outcome } from '../invocation.js';

export interface CompletionOptions extends CommonOptions {
  readonly shell: string;
}

/** The words that may follow a path of commands. */
export interface Completion {
  /** The names of the commands so far, such as `user create`; empty for the program. */
  readonly path: string;
  readonly commands: readonly Described[];
  readonly options: readonly Described[];
}

interface Described {
  readonly word: string;
  readonly description: string;
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const isShell = (name: string): name is Shell => SHELLS.some((shell) => shell === name);

export const printCompletion = (
  { shell }: CompletionOptions,
  program: Command,
): Promise<Outcome> => {
  if (!isShell(shell)) throw usage(`shell: expected ${SHELLS.join(', ')}, received ${shell}`);
  const script = SCRIPT_OF[shell](completionsOf(program));
  return Promise.resolve({ json: { shell, script }, text: script });
};

/** One entry for the program and for each command below it. */
export const completionsOf = (program: Command, path = ''): readonly Completion[] => [
  {
    path,
    commands: program.commands.map((one) => described(one.name(), one.description())),
    options: program.options.map((one) => described(one.long ?? one.flags, one.description)),
  },
  ...program.commands.flatMap((one) => completionsOf(one, `${path} ${one.name()}`.trim())),
];

const described = (word: string, description: string): Described => ({ word, description });

const wordsOf = ({ commands, options }: Completion): string =>
  [...commands, ...options].map(({ word }) => word).join(' ');

/** The path is the words that are neither options nor the values of options. */
const bashScript = (completions: readonly Completion[]): string => `_quipu() {
  local path= word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    path="\${path:+$path }$word"
  done
  case "$path" in
${completions.map((one) => `    '${one.path}') words='${wordsOf(one)}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _quipu quipu`;

const zshScript = (completions: readonly Completion[]): string =>
  `autoload -Uz bashcompinit && bashcompinit\n${bashScript(completions)}`;

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

const fishScript = (completions: readonly Completion[]): string =>
  [
    `function __quipu_path
  set -l path
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and break
    set -a path $word
  end
  echo "$path"
end`,
    ...completions.flatMap(({ path, commands, options }) => {
      const condition = quoted(`test (__quipu_path) = "${path}"`);
      return [
        ...commands.map(
          ({ word, description }) =>
            `complete -c quipu -f -n ${condition} -a ${word} -d ${quoted(description)}`,
        ),
        ...options.map(
          ({ word, description }) =>
            `complete -c quipu -n ${condition} -l ${word.slice(2)} -d ${quoted(description)}`,
        ),
      ];
    }),
  ].join('\n');

const SCRIPT_OF: Readonly<Record<Shell, (completions: readonly Completion[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};
