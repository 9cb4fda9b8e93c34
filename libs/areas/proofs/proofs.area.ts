import { proofKeyEvents } from '#events/proofs/proof-key.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { proofKeys } from '#projections/proofs/proof-keys.projection.js';
import { ledgerProverEngine } from './ledger-prover.engine.js';
import { proofProduct } from './proof.product.js';
import { proofsEngine } from './proofs.engine.js';
import { proofsErrors } from './proofs.errors.js';
import { proofsFailures } from './proofs.failures.js';
import { ProofsModule } from './proofs.module.js';

export const proofsArea = defineArea({
  name: 'proofs',
  description: 'Zero-knowledge proofs: verified under registered keys, and made of the ledger.',
  module: ProofsModule,
  events: proofKeyEvents,
  projections: [proofKeys],
  products: [proofProduct],
  engines: [proofsEngine, ledgerProverEngine],
  errors: proofsErrors,
  failures: proofsFailures,
});
