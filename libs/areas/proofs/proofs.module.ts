import { Module } from '@nestjs/common';
import { proofKeyEvents } from '#events/proofs/proof-key.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import {
  PROOF_KEY_RUNNER,
  type ProofKeyRunner,
  RegisterProofKeyHandler,
  RetireProofKeyHandler,
} from './change-keys.handlers.js';
import { LedgerSnapshotHandler } from './ledger-snapshot.query.js';
import { LedgerSnapshots } from './ledger-snapshots.js';
import { ProofKeyHandler, ProofKeysHandler } from './list-keys.query.js';
import { ProofAdmission } from './proof-admission.js';
import { ProofKeyBook } from './proof-key-book.js';
import { proofKeyDecider } from './proof-key.decider.js';
import { ProofRunner } from './proof-runner.js';
import { VerifyProofsHandler } from './verify-proofs.handler.js';

const keyRunner = {
  provide: PROOF_KEY_RUNNER,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): ProofKeyRunner =>
    new CommandRunner({ decider: proofKeyDecider, eventStore, codec: codec.for(proofKeyEvents) }),
};

@Module({
  providers: [
    keyRunner,
    ProofKeyBook,
    ProofRunner,
    ProofAdmission,
    RegisterProofKeyHandler,
    RetireProofKeyHandler,
    ProofKeysHandler,
    ProofKeyHandler,
    VerifyProofsHandler,
    LedgerSnapshots,
    LedgerSnapshotHandler,
  ],
})
export class ProofsModule {}
