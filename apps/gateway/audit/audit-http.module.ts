import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { AuditedRequestsController } from './audited-requests.controller.js';
import { BillsController } from './bills.controller.js';
import { LogEventsController } from './log-events.controller.js';

@Module({
  controllers: [AuditController, AuditedRequestsController, BillsController, LogEventsController],
})
export class AuditHttpModule {}
