import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { ChatSettler } from '../inference/chat.settler.js';
import { AdaptersController } from './adapters.controller.js';
import { VaultController } from './vault.controller.js';

@Module({
  controllers: [AdaptersController, VaultController],
  providers: [ApiGuard, ChatSettler],
})
export class AdaptersHttpModule {}
