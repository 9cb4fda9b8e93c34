import { Module } from '@nestjs/common';
import { PayoutsController } from './payouts.controller.js';

@Module({ controllers: [PayoutsController] })
export class PayoutsHttpModule {}
