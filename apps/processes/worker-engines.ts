import { type AnyEngineDefinition, type EngineHost } from '#platform/tasks/engine.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';

/**
 * The engines that this worker runs: the named ones, or all that can run on this machine.
 * @param named the value of QUIPU_WORKER_ENGINES; undefined when it is not set
 * @throws SettingsError for an unknown name, for a named engine that cannot run here, and when none
 *   is left
 */
export const workerEngines = async (
  declared: readonly AnyEngineDefinition[],
  named: readonly string[] | undefined,
  host: EngineHost,
): Promise<readonly AnyEngineDefinition[]> => {
  const unknown = named?.filter((name) => !declared.some((engine) => engine.name === name)) ?? [];
  if (unknown.length > 0) {
    const known = declared.map(({ name }) => name).join(', ');
    throw badEngines(`there is no engine ${unknown.join(', ')}; the engines are ${known}`);
  }
  const wanted = declared.filter(({ name }) => named?.includes(name) ?? true);
  const reasons = await Promise.all(wanted.map((engine) => engine.canRunHere(host)));
  const obstacles = wanted.flatMap(({ name }, n) => {
    const reason = reasons[n] ?? null;
    return reason === null ? [] : [`${name} cannot run here: ${reason}`];
  });
  const runnable = wanted.filter((_, n) => reasons[n] === null);
  if (obstacles.length > 0 && (named || runnable.length === 0)) {
    throw badEngines(obstacles.join('; '));
  }
  if (runnable.length === 0) throw badEngines('no area declares an engine');
  for (const obstacle of obstacles) host.logger.info(`engine ${obstacle}`);
  return runnable;
};

const badEngines = (reason: string): SettingsError =>
  new SettingsError(`bad settings\n  QUIPU_WORKER_ENGINES: ${reason}`);
