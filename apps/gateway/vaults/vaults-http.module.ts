import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { ClearancesController } from './clearances.controller.js';
import { VaultsController } from './vaults.controller.js';
import { VectorController } from './vector.controller.js';

@Module({
  controllers: [VectorController, VaultsController, ClearancesController],
  providers: [ApiGuard],
})
export class VaultsHttpModule {}
