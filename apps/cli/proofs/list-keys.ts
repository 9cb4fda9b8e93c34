import { ProofKeysQuery } from '#areas/proofs/list-keys.query.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { PROOFS_NEEDS } from './proofs.needs.js';

export interface ListKeysOptions extends CommonOptions {
  readonly page: number;
  readonly limit: number;
}

export const listKeys = async (
  { page, limit }: ListKeysOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { found, builtIn, total } = await withQuipu(invocation, PROOFS_NEEDS, ({ queries }) =>
    queries.execute(new ProofKeysQuery(page, limit)),
  );
  const all = [...builtIn, ...found].map((key) => ({
    key_id: key.keyId,
    scheme: key.scheme,
    curve: key.curve,
    inputs: key.inputs,
    source: key.source,
    registered_at: key.registeredAt,
    retired_at: key.retiredAt,
    sha256: key.sha256,
  }));
  const rows = all.map((key) => Object.values(key).map((value) => String(value ?? '-')));
  const header = ['ID', 'SCHEME', 'CURVE', 'INPUTS', 'SOURCE', 'REGISTERED', 'RETIRED', 'SHA-256'];
  return {
    json: { keys: all, page, total_records: total },
    text: inColumns([header, ...rows]),
  };
};
