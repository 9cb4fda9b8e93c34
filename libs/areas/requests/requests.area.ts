import { defineArea } from '#platform/runtime/areas/area.js';
import { guardedRequests } from '#projections/requests/guarded-requests.projection.js';
import { requests } from '#projections/requests/requests.projection.js';
import { spend } from '#projections/requests/spend.projection.js';
import { requestsErrors } from './requests.errors.js';
import { RequestsModule } from './requests.module.js';

export const requestsArea = defineArea({
  name: 'requests',
  description: 'The requests of an account, and its spend by their labels.',
  projections: [requests, spend, guardedRequests],
  errors: requestsErrors,
  module: RequestsModule,
});
