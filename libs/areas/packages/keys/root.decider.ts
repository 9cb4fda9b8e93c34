import { PackageRootPublished } from '#events/packages/package.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../packages.errors.js';

/** Signatures and thresholds are checked before. */
export interface PublishRoot {
  readonly type: 'PublishRoot';
  readonly data: PackageRootPublished['data'];
}

/** The published roots as JSON, from the first version on. */
export type PublishedRoots = readonly string[];

export const rootDecider: Decider<PublishRoot, PublishedRoots, PackageRootPublished> = {
  initialState: [],
  decide: ({ data }, roots) => {
    if (roots[data.version - 1] === data.root) return [];
    if (data.version === roots.length + 1) return [PackageRootPublished.of(data)];
    const detail = `root ${roots.length + 1} is next, and this one is version ${data.version}`;
    return reject('package_root_invalid', detail);
  },
  evolve: (roots, { data }) => [...roots, data.root],
};
