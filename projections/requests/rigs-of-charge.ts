import { type HoldCaptured } from '#events/billing/account.events.js';

/** The rigs that did the work of a charge. */
export const rigsOf = ({ rig, lines }: HoldCaptured['data']): readonly string[] => {
  const rigs = rig === null ? [] : [rig];
  for (const line of lines) {
    if (line.rig !== undefined && !rigs.includes(line.rig)) rigs.push(line.rig);
  }
  return rigs;
};
