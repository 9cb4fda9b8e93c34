import { defineArea } from '#platform/runtime/areas/area.js';
import { defineConsumer } from '#platform/runtime/subscriptions/consumer.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { albumJob, albumProduct } from './album.job.js';
import { AnswerPostcardCommand, PostcardReply } from './answer-postcard.handler.js';
import { ChargePostcardCommand } from './charge-postcard.handler.js';
import { countingEngine } from './counting.engine.js';
import { DeliverPostcardCommand } from './deliver-postcard.handler.js';
import { deliverySaga } from './delivery.saga.js';
import { PostOffice } from './post-office.js';
import { PostcardDelivered, postcardEvents } from './postcard.events.js';
import { POSTCARD_MODE, PostcardChatStrategy } from './postcard-chat.strategy.js';
import { postcardProduct } from './postcard.product.js';
import { postcardErrors, postcardFailures } from './postcards.errors.js';
import { PostcardsModule } from './postcards.module.js';
import { postcards } from './postcards.projection.js';
import { postcardSettings } from './postcards.settings.js';

/** The topic of deliveries, and the topic of the replies. */
export const DELIVERED_TOPIC = 'postcards.delivered';
export const REPLIES_TOPIC = 'postcards.replies';

export const postcardsArea = defineArea({
  name: 'postcards',
  module: PostcardsModule,
  events: postcardEvents,
  projections: [postcards],
  sagas: [
    deploySaga(deliverySaga, {
      CountAndDeliver: (data, context) => new DeliverPostcardCommand(data, context),
      ChargePostcard: (data, context) => new ChargePostcardCommand(data, context),
    }),
  ],
  relays: [
    {
      name: 'postcards-delivered',
      topic: DELIVERED_TOPIC,
      on: { PostcardDelivered },
      toMessage: ({ data: { postcardId, words } }: PostcardDelivered) => ({
        key: postcardId,
        data: { postcardId, words },
      }),
    },
  ],
  products: [postcardProduct, albumProduct],
  engines: [countingEngine],
  chatStrategies: [{ modes: [POSTCARD_MODE], strategy: PostcardChatStrategy }],
  jobs: [albumJob],
  topics: [{ topic: REPLIES_TOPIC, partitions: 2 }],
  consumers: [
    defineConsumer({
      topic: REPLIES_TOPIC,
      group: 'postcards.replies',
      schema: PostcardReply,
      attemptsMax: 2,
      toCommand: (reply, context) => new AnswerPostcardCommand(reply, context),
    }),
  ],
  errors: postcardErrors,
  failures: postcardFailures,
  settings: [postcardSettings],
  readiness: [PostOffice],
  metrics: [PostOffice],
});
