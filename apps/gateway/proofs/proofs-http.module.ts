import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { ProofKeysController } from './proof-keys.controller.js';
import { SnapshotController } from './snapshot.controller.js';
import { VerificationController } from './verification.controller.js';

@Module({
  controllers: [ProofKeysController, VerificationController, SnapshotController],
  providers: [ApiGuard],
})
export class ProofsHttpModule {}
