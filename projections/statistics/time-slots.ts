export const SLOT_MINUTES = 5;

/** Documents of five minutes, and of whole days, so that a year is read from days. */
export type SlotLevel = 'slot' | 'day';

const DATE_CHARACTERS = 'YYYY-MM-DD'.length;
const HOUR_CHARACTERS = 'YYYY-MM-DDTHH:'.length;

const startOf = (level: SlotLevel, at: string): string => {
  if (level === 'day') return `${at.slice(0, DATE_CHARACTERS)}T00:00:00.000Z`;
  const minute = Number(at.slice(HOUR_CHARACTERS, HOUR_CHARACTERS + 2));
  const start = minute - (minute % SLOT_MINUTES);
  return `${at.slice(0, HOUR_CHARACTERS)}${start.toString().padStart(2, '0')}:00.000Z`;
};

/**
 * Keys of one level order by time.
 * @param at ISO 8601 UTC
 */
export const slotKey = (level: SlotLevel, at: string): string => `${level}/${startOf(level, at)}`;

const MINUTE_CHARACTERS = HOUR_CHARACTERS + 2;

/** One event after another is of the same minute. */
let latest: { readonly minute: string; readonly keys: readonly string[] } | undefined;

/** The keys of both documents of an instant. */
export const slotKeysOf = (at: string): readonly string[] => {
  const minute = at.slice(0, MINUTE_CHARACTERS);
  if (latest?.minute !== minute) {
    latest = { minute, keys: [slotKey('slot', at), slotKey('day', at)] };
  }
  return latest.keys;
};

/** When the slot of a key begins, ISO 8601 UTC. */
export const startOfSlot = (key: string): string => key.slice(key.indexOf('/') + 1);

/** Members of a group that are counted: enough to know whether it is a small one. */
export const MEMBERS_MAX = 50;

/** A group with one more member, in the order in which they came. */
export const withMember = (members: readonly string[], member: string): readonly string[] =>
  members.length >= MEMBERS_MAX || members.includes(member) ? members : [...members, member];
