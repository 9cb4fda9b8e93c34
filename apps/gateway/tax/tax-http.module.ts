import { Module } from '@nestjs/common';
import { TaxComplianceController } from './tax-compliance.controller.js';
import { TaxStatusController } from './tax-status.controller.js';

@Module({ controllers: [TaxComplianceController, TaxStatusController] })
export class TaxHttpModule {}
