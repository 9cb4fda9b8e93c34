import { hash, createPublicKey } from 'node:crypto';
import { ReceiptKeyQuery } from '#areas/cleanrooms/attestation/receipt-signer.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';

const NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'files', 'cleanrooms'],
  installation: 'exists',
  projections: [],
} as const;

/** For `quipu attest verify --signer`, wherever the receipts go. */
export const printKey = async (_: CommonOptions, invocation: Invocation): Promise<Outcome> => {
  const pem = await withQuipu(invocation, NEEDS, ({ queries }) =>
    queries.execute(new ReceiptKeyQuery()),
  );
  const der = createPublicKey(pem).export({ format: 'der', type: 'spki' });
  return { json: { public_key_pem: pem, sha256: hash('sha256', der) }, text: pem.trimEnd() };
};
