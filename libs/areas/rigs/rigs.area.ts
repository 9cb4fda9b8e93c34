import { rigEvents } from '#events/rigs/rig.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { rigCertifications } from '#projections/rigs/rig-certifications.projection.js';
import { certificationJob } from './certification.job.js';
import { certificationSaga } from './certification.saga.js';
import { CertifyMeasuredRigCommand } from './certify-measured-rig.handler.js';
import { rigsErrors } from './rigs.errors.js';
import { RigsModule } from './rigs.module.js';

export const rigsArea = defineArea({
  name: 'rigs',
  description: 'What certifications have measured of rigs, of the catalog and of workers.',
  events: rigEvents,
  projections: [rigCertifications],
  sagas: [
    deploySaga(certificationSaga, {
      CertifyMeasuredRig: (data, context) => new CertifyMeasuredRigCommand(data, context),
    }),
  ],
  jobs: [certificationJob],
  errors: rigsErrors,
  module: RigsModule,
});
