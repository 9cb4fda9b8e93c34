import { type SwarmModel } from '../swarm-models.port.js';

/** One of the models that propose an answer. */
export interface Member {
  /** The step of its lines: `branch-1`, `branch-2`, … */
  readonly step: string;
  readonly model: SwarmModel;
  /** The only rig that is asked. */
  readonly rig: string;
  readonly seed: number;
}

const SEED_BELOW = 2 ** 32;

/**
 * Chooses different members: first every model with its first rig, then with its second one, and so
 * on. Where that gives too few, they repeat. Each has a seed of its own.
 * @param models in the order of preference; rigs that are down are left out
 * @param firstSeed of the first member; the next ones follow it
 */
export const chooseMembers = (
  models: readonly SwarmModel[],
  count: number,
  firstSeed: number,
): readonly Member[] => {
  const places = placesOf(models);
  if (places.length === 0) return [];
  // Callers may send any integer: its lower 32 bits count.
  const first = ((firstSeed % SEED_BELOW) + SEED_BELOW) % SEED_BELOW;
  return Array.from({ length: count }, (_, index) => {
    const place = places[index % places.length];
    if (!place) throw new RangeError('no place for a member');
    return { step: `branch-${index + 1}`, ...place, seed: (first + index) % SEED_BELOW };
  });
};

const placesOf = (models: readonly SwarmModel[]): readonly Pick<Member, 'model' | 'rig'>[] => {
  const rounds = Math.max(0, ...models.map(({ rigs }) => rigs.length));
  return Array.from({ length: rounds }, (_, round) =>
    models.flatMap((model) => {
      const rig = model.rigs.filter(({ isUp }) => isUp)[round];
      return rig ? [{ model, rig: rig.name }] : [];
    }),
  ).flat();
};

/** Models that draft for another one are too small to propose. */
export const proposersOf = (models: readonly SwarmModel[]): readonly SwarmModel[] => {
  const drafts = new Set(models.map(({ draft }) => draft));
  return models.filter(({ id }) => !drafts.has(id));
};
