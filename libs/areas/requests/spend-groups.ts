/**
 * The groups of spend beside single tags. `tags` are all tags of a request. By `team` a report has
 * the spend of all accounts below as well.
 */
export const SPEND_GROUPS = [
  'day',
  'key',
  'user',
  'model',
  'rig',
  'product',
  'class',
  'tags',
  'team',
] as const;

/** The value of the tag with this name, such as `tag:project`. */
type TagGroup = `tag:${string}`;

export type SpendGroup = (typeof SPEND_GROUPS)[number] | TagGroup;

const TAG = 'tag:';
const TAG_GROUP = /^tag:[A-Za-z0-9][A-Za-z0-9_.-]{0,61}$/;

/** Groups of one report. */
export const GROUPS_MAX = 8;

const isTag = (name: string): name is TagGroup => TAG_GROUP.test(name);

const isPlain = (name: string): name is (typeof SPEND_GROUPS)[number] =>
  (SPEND_GROUPS as readonly string[]).includes(name);

/** Names joined by commas, in their order; null where one is unknown or named twice. */
export const spendGroupsOf = (names: string): readonly SpendGroup[] | null => {
  const asked = names.split(',');
  const groups = asked.filter((name): name is SpendGroup => isPlain(name) || isTag(name));
  const isFit = groups.length === asked.length && new Set(groups).size === groups.length;
  return isFit && groups.length <= GROUPS_MAX ? groups : null;
};

export const tagNameOf = (group: TagGroup): string => group.slice(TAG.length);

/** Whether the group needs sums that tell end users or tags apart. */
export const isLabel = (group: SpendGroup): boolean =>
  group === 'user' || group === 'tags' || isTag(group);

export const SPEND_GROUPS_EXPECTED =
  `at most ${GROUPS_MAX} of ${SPEND_GROUPS.join(', ')} and tag:<name>, joined by commas, ` +
  'each once';
