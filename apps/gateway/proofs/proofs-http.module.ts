import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { ProofKeysController } from './proof-keys.controller.js';
import { VerificationController } from './verification.controller.js';

@Module({
  controllers: [ProofKeysController, VerificationController],
  providers: [ApiGuard],
})
export class ProofsHttpModule {}
