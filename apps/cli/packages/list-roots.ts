import { fingerprintOf, ROLES } from '#areas/packages/keys/root-metadata.js';
import { RootsQuery } from '#areas/packages/keys/root.handlers.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { PACKAGES_NEEDS } from './packages.needs.js';

export const listRoots = async (_: CommonOptions, invocation: Invocation): Promise<Outcome> => {
  const published = await withQuipu(invocation, PACKAGES_NEEDS, ({ queries }) =>
    queries.execute(new RootsQuery()),
  );
  const roots = published.map(({ signed }) => ({
    version: signed.version,
    expires: signed.expires,
    roles: ROLES.map((role) => {
      const { threshold, keyids } = signed.roles[role];
      return `${role} ${threshold}/${keyids.length}`;
    }).join(', '),
    root_sha256: fingerprintOf(signed),
  }));
  const rows = roots.map((root) => Object.values(root).map(String));
  return {
    json: { roots },
    text: inColumns([['VERSION', 'EXPIRES', 'ROLES', 'FINGERPRINT'], ...rows]),
  };
};
