import { portBlockEvents, workspaceEvents } from '#events/rentals/rental.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { rentalNumbers } from '#projections/rentals/rental-numbers.projection.js';
import { rentalJob } from './rental.job.js';
import { rentalLifeSaga } from './rental-life.saga.js';
import { rentalNotifications } from './rental-notifications.js';
import { rentalProduct } from './rental.product.js';
import { rentalErrors } from './rentals.errors.js';
import { RentalsModule } from './rentals.module.js';
import { rentalSettings } from './rentals.settings.js';
import { EndRentalCommand, ReclaimPortsCommand } from './workspaces/end-rental.handler.js';
import { RentalKeeper } from './workspaces/rental-keeper.js';

export const rentalsArea = defineArea({
  name: 'rentals',
  description: 'Rented rigs: a program with a workspace and ports of its own, paid by the second.',
  module: RentalsModule,
  events: [...portBlockEvents, ...workspaceEvents],
  projections: [rentalNumbers],
  sagas: [
    deploySaga(rentalLifeSaga, {
      EndRental: ({ rentalId }, context) => new EndRentalCommand(rentalId, context),
      ReclaimPorts: ({ rentalId }, context) => new ReclaimPortsCommand(rentalId, context),
    }),
  ],
  products: [rentalProduct],
  jobs: [rentalJob],
  leaderServices: [RentalKeeper],
  notifications: rentalNotifications,
  errors: rentalErrors,
  settings: [rentalSettings],
});
