import { quipuCommand } from './api.js';

/** The read of a page at the command line of Quipu. */
export interface PageCommand {
  /** Such as `jobs show :id`, with the parameters of the page. */
  readonly words: string;
  /** Whether `--user` names the signed-in user. */
  readonly ofUser?: boolean;
  /** Options, by the fields of the route that mean the same. */
  readonly options?: Readonly<Record<string, string>>;
  /** A field without which the command means another read. */
  readonly needs?: string;
}

export interface CommandedRead {
  /** Of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The route of the read, with its query. */
  readonly route: string;
  readonly username: string | undefined;
}

/** The command; null where the read has a field that the command has no option for. */
export const commandOf = (
  { words, ofUser = false, options = {}, needs }: PageCommand,
  { parameters, route, username }: CommandedRead,
): string | null => {
  const fields = [...new URL(route, 'http://gateway').searchParams];
  if (fields.some(([name]) => options[name] === undefined)) return null;
  if (needs !== undefined && !fields.some(([name]) => name === needs)) return null;
  const named = words
    .split(' ')
    .map((word) => (word.startsWith(':') ? (parameters[word.slice(1)] ?? '') : word));
  return quipuCommand(named, {
    ...(ofUser && { user: username }),
    ...Object.fromEntries(fields.map(([name, value]) => [options[name] ?? name, value])),
  });
};
