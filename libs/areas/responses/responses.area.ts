import { responseEvents } from '#events/responses/response.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import {
  ExpireResponseCommand,
  ReleaseResponseCommand,
  RetainResponseCommand,
} from './response-content.handler.js';
import { backgroundResponseSaga } from './background/background-response.saga.js';
import { EndResponseCommand } from './background/end-response.handler.js';
import { responseJob } from './background/response.job.js';
import { responseProduct } from './background/response.product.js';
import { responseContentSaga } from './response-content.saga.js';
import { responseErrors } from './responses.errors.js';
import { ResponsesModule } from './responses.module.js';
import { responseSettings } from './responses.settings.js';
import { RESPONSES_PATH, ResponseBatchEndpoint } from './translation/response-batch.endpoint.js';

export const responsesArea = defineArea({
  name: 'responses',
  description: 'Stored responses, and the conversations that continue them.',
  module: ResponsesModule,
  events: responseEvents,
  sagas: [
    deploySaga(responseContentSaga, {
      RetainResponse: ({ responseId }, context) => new RetainResponseCommand(responseId, context),
      ReleaseResponse: ({ responseId }, context) => new ReleaseResponseCommand(responseId, context),
      ExpireResponse: ({ responseId }, context) => new ExpireResponseCommand(responseId, context),
    }),
    deploySaga(backgroundResponseSaga, {
      EndResponse: (data, context) => new EndResponseCommand(data, context),
    }),
  ],
  products: [responseProduct],
  jobs: [responseJob],
  batchEndpoints: [{ path: RESPONSES_PATH, endpoint: ResponseBatchEndpoint }],
  errors: responseErrors,
  settings: [responseSettings],
});
