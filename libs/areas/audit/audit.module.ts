import { Module } from '@nestjs/common';
import { NoteSigner } from '#platform/audit/signed-note.js';
import { TreeReader } from '#platform/audit/tree-reader.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { READ_STORE } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { AuditLog } from './audit-log.js';
import { AuditOperations } from './audit.operations.js';
import { AUDIT_SETTINGS, type AuditSettings } from './audit.settings.js';
import { AuditedRequestHandler } from './audited-request.handler.js';
import { CheckpointPublisher } from './checkpoint-publisher.js';
import { ExportBillHandler } from './export-bill.handler.js';
import { ExportLogHandler } from './export-log.handler.js';
import { LogEventHandler, LogEventsHandler } from './log-events.handler.js';
import { logSignerOf } from './log-signer.js';
import { LogStateHandler } from './log-state.handler.js';

@Module({
  providers: [
    {
      provide: NoteSigner,
      inject: [SECRETS, AUDIT_SETTINGS],
      useFactory: (secrets: Secrets, { origin }: AuditSettings) => logSignerOf(secrets, origin),
    },
    {
      provide: TreeReader,
      inject: [READ_STORE],
      useFactory: (readStore: ReadStore) => new TreeReader(readStore),
    },
    CheckpointPublisher,
    AuditLog,
    AuditOperations,
    AuditedRequestHandler,
    LogEventsHandler,
    LogEventHandler,
    LogStateHandler,
    ExportBillHandler,
    ExportLogHandler,
  ],
  exports: [AuditLog, AuditOperations],
})
export class AuditModule {}
