import { areas as shippedAreas } from '../../composition/areas.js';
import { readConfigFile } from '../../composition/config-file.js';
import { variablesOf, withoutSecrets } from '../../composition/settings.js';
import { settingsOf } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { inColumns } from '../table.js';

/** A setting that differs from its default or states it. */
interface SetSetting {
  readonly name: string;
  /** Masked where it is a secret. */
  readonly value: string;
  readonly origin: 'environment' | 'file';
}

/** Variables whose whole value is a secret; other values lose the credentials of their URLs. */
const SECRET = /_(TOKEN|SECRET|PASSWORD)$/;

export const checkSettings = async (
  _options: CommonOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { file, set } = await validSettings(invocation);
  const from = file === null ? 'the environment' : `${file} and the environment`;
  return {
    json: { file, settings: set.length },
    text: `${set.length} settings of ${from} are valid.`,
  };
};

export const showSettings = async (
  _options: CommonOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { file, set } = await validSettings(invocation);
  const rows = set.map(({ name, value, origin }) => [name, value, origin]);
  const table = inColumns([['setting', 'value', 'origin'], ...rows]);
  return {
    json: { file, settings: set },
    text: set.length === 0 ? 'Every setting has its default.' : table,
  };
};

/** @throws CommandFailure `bad_settings` */
const validSettings = async ({
  environment,
  parts,
}: Invocation): Promise<{
  readonly file: string | null;
  readonly set: readonly SetSetting[];
}> => {
  settingsOf(environment, parts?.areas);
  const config = await readConfigFile(environment);
  const set = Object.keys(variablesOf(parts?.areas ?? shippedAreas)).flatMap((name) => {
    const value = environment[name];
    if (value === undefined || value === '') return [];
    const origin = config?.variables[name] === value ? 'file' : 'environment';
    const shown = SECRET.test(name) ? '***' : withoutSecrets(value);
    return [{ name, value: shown, origin } as const];
  });
  return { file: config?.file ?? null, set };
};
