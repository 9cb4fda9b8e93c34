import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { AdaptersController } from './adapters.controller.js';
import { VaultController } from './vault.controller.js';

@Module({
  controllers: [AdaptersController, VaultController],
  providers: [ApiGuard],
})
export class AdaptersHttpModule {}
