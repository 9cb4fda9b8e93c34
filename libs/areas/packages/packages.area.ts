import { packageEvents, packageRootEvents } from '#events/packages/package.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { ExpirePackageCommand, SettlePackageContentCommand } from './content.handlers.js';
import { packageContentSaga } from './package-content.saga.js';
import { packageJob } from './package.job.js';
import { packageErrors } from './packages.errors.js';
import { PackagesModule } from './packages.module.js';
import { downloadProduct, packageProduct } from './packages.products.js';
import { packageSettings } from './packages.settings.js';

export const packagesArea = defineArea({
  name: 'packages',
  description: 'Air-gapped packages of models: sealed, licensed, and verified without a network.',
  module: PackagesModule,
  events: [...packageEvents, ...packageRootEvents],
  sagas: [
    deploySaga(packageContentSaga, {
      SettlePackageContent: (data, context) => new SettlePackageContentCommand(data, context),
      ExpirePackage: (data, context) => new ExpirePackageCommand(data, context),
    }),
  ],
  products: [packageProduct, downloadProduct],
  jobs: [packageJob],
  errors: packageErrors,
  settings: [packageSettings],
});
