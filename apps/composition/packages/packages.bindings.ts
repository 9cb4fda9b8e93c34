import path from 'node:path';
import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AuditLog } from '#areas/audit/audit-log.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { PackagingLog } from '#areas/packages/packaging-log.port.js';
import { ResidentModels } from '#areas/packages/resident-models.port.js';
import { OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { AuditedPackaging } from './packaging-log.binding.js';
import { InstalledModels } from './resident-models.binding.js';

/** Seen from the compiled file. */
const LICENCE = path.resolve(import.meta.dirname, '../../../../LICENSE');

export const bindings: readonly Provider[] = [
  {
    provide: ResidentModels,
    inject: [
      { token: Catalog, optional: true },
      { token: OwnModels, optional: true },
      { token: OwnModelFiles, optional: true },
    ],
    useFactory: (catalog?: Catalog, models?: OwnModels, files?: OwnModelFiles) =>
      new InstalledModels(LICENCE, catalog, models && files && { models, files }),
  },
  {
    provide: PackagingLog,
    inject: [QueryBus, { token: AuditLog, optional: true }],
    useFactory: (queries: QueryBus, log?: AuditLog) => new AuditedPackaging(queries, log),
  },
];
