import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { SettingsError } from '#platform/runtime/areas/settings.js';

/** The file in the working directory that is read where `QUIPU_CONFIG` names none. */
export const CONFIG_FILE = 'quipu.yaml';

/** More than all settings with long values. */
const BYTES_MAX = 262_144;

const PREFIX = 'QUIPU_';

/** Variables without the prefix. */
const PLAIN: ReadonlySet<string> = new Set(['HOST', 'PORT']);

const Value = z.union([z.string(), z.number(), z.boolean()]);
const Config = z.record(z.string(), z.union([Value, z.array(Value), z.null()])).nullable();
type ConfigValue = NonNullable<z.infer<typeof Config>>[string];

export interface ConfigFile {
  /** Absolute. */
  readonly file: string;
  /** The settings of the file, as variables. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The key of a variable in the file: `QUIPU_EVENT_STORE` is `event_store`. */
export const configKeyOf = (variable: string): string =>
  (variable.startsWith(PREFIX) ? variable.slice(PREFIX.length) : variable).toLowerCase();

const variableOf = (key: string): string => {
  const name = key.toUpperCase();
  return PLAIN.has(name) ? name : `${PREFIX}${name}`;
};

/** Lists with commas, `true` and `false` as 1 and 0. Null: the setting is not set. */
const textOf = (value: ConfigValue): string => {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value === null ? '' : String(value);
};

/**
 * The configuration file; undefined where `QUIPU_CONFIG` names none and the working directory has
 * none.
 * @throws SettingsError for a file that cannot be read, or with the key at fault
 */
export const readConfigFile = async (
  environment: NodeJS.ProcessEnv,
): Promise<ConfigFile | undefined> => {
  const named = environment['QUIPU_CONFIG'];
  const file = path.resolve(named ? named : CONFIG_FILE);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!named && isMissing) return undefined;
    throw new SettingsError(`${file}: cannot be read`, { cause: error });
  });
  return text === undefined ? undefined : { file, variables: await variablesIn(file, text) };
};

const variablesIn = async (
  file: string,
  text: string,
): Promise<Readonly<Record<string, string>>> => {
  if (Buffer.byteLength(text) > BYTES_MAX) {
    throw new SettingsError(`${file}: expected at most ${BYTES_MAX} bytes`);
  }
  const config = Config.safeParse(await parsed(file, text));
  if (!config.success) {
    throw new SettingsError(`${file}: ${z.prettifyError(config.error)}`);
  }
  const entries = Object.entries(config.data ?? {});
  const foreign = entries.find(([key]) => !/^[a-z][a-z0-9_]*$/.test(key) || key === 'config');
  if (foreign) {
    throw new SettingsError(
      `${file}: ${foreign[0]}: expected the name of a setting in lower case without ${PREFIX}, ` +
        'such as event_store',
    );
  }
  return Object.fromEntries(entries.map(([key, value]) => [variableOf(key), textOf(value)]));
};

const parsed = async (file: string, text: string): Promise<unknown> => {
  const { parse } = await import('yaml');
  try {
    return parse(text, { maxAliasCount: 0 }) as unknown;
  } catch (error) {
    throw new SettingsError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/**
 * The environment on top of the configuration file.
 * @throws SettingsError as `readConfigFile`
 */
export const withConfigFile = async (
  environment: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> => {
  const config = await readConfigFile(environment);
  if (!config) return environment;
  const set = Object.entries(environment).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  return { ...environment, ...config.variables, ...Object.fromEntries(set) };
};
