/** The free part of one memory: a device, or the host, whose `device` is null. */
export interface FreeMemory {
  readonly device: number | null;
  readonly freeBytes: number;
}

/** A rig with the memory that no placement has reserved. */
export interface FreeRig {
  readonly name: string;
  /** Either the host alone, or the devices. */
  readonly memories: readonly FreeMemory[];
}

/** One stage: `tp` parts of equal size. On devices each part has a device of its own. */
export interface StageSize {
  readonly tpDegree: number;
  readonly shardBytes: number;
}

/** The device of each part of each stage; null for the host. */
export type StageDevices = readonly (readonly (number | null)[])[];

interface Slots {
  readonly device: number | null;
  readonly left: number;
}

const byLeft = (one: Slots, other: Slots): number => other.left - one.left;

/** Takes the devices with the most room for each stage, which leaves the most for the next ones. */
const nextStage = (slots: readonly Slots[], tpDegree: number): readonly Slots[] | null => {
  const [first] = slots;
  if (first?.device === null) return first.left >= tpDegree ? Array(tpDegree).fill(first) : null;
  const chosen = slots.toSorted(byLeft).slice(0, tpDegree);
  const isEnough = chosen.length === tpDegree && chosen.every(({ left }) => left > 0);
  return isEnough ? chosen : null;
};

const without = (slots: readonly Slots[], taken: readonly Slots[]): readonly Slots[] =>
  slots.map((slot) => {
    const used = taken.filter(({ device }) => device === slot.device).length;
    return { ...slot, left: slot.left - used };
  });

/**
 * Where a rig has room for stages, up to `stagesMax`. Taking the devices with the most room first
 * finds the largest possible number of stages.
 */
export const stagesOn = (
  { memories }: FreeRig,
  { tpDegree, shardBytes }: StageSize,
  stagesMax: number,
): StageDevices => {
  let slots: readonly Slots[] = memories.map(({ device, freeBytes }) => ({
    device,
    left: Math.floor(freeBytes / shardBytes),
  }));
  const stages: (readonly (number | null)[])[] = [];
  while (stages.length < stagesMax) {
    const taken = nextStage(slots, tpDegree);
    if (!taken) break;
    slots = without(slots, taken);
    stages.push(taken.map(({ device }) => device));
  }
  return stages;
};
