import { type Provider } from '@nestjs/common';
import { AuditLog } from '#areas/audit/audit-log.js';
import { SnapshotSource } from '#areas/proofs/snapshot-source.port.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { AuditedLeaves } from './audited-leaves.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: SnapshotSource,
    inject: [AuditLog, PROJECTIONS],
    useFactory: (log: AuditLog, projections: Projections) => new AuditedLeaves(log, projections),
  },
];
