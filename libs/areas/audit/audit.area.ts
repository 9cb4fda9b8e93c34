import { defineArea } from '#platform/runtime/areas/area.js';
import { auditErrors } from './audit.errors.js';
import { AuditModule } from './audit.module.js';
import { AuditOperations } from './audit.operations.js';
import { auditSettings } from './audit.settings.js';
import { CheckpointPublisher } from './checkpoint-publisher.js';

export const auditArea = defineArea({
  name: 'audit',
  description: 'The transparency log: checkpoints, tiles and proofs that outsiders can verify.',
  leaderServices: [CheckpointPublisher],
  settings: [auditSettings],
  errors: auditErrors,
  readiness: [AuditOperations],
  metrics: [AuditOperations],
  module: AuditModule,
});
