import { defineArea } from '#platform/runtime/areas/area.js';
import { answerCacheSettings } from './cache/answer-cache.settings.js';
import { cachedChatProduct } from './cache/cached-chat.product.js';
import { CHAT_PATH, ChatBatchEndpoint } from './chat-batch.endpoint.js';
import { chatProduct } from './chat.product.js';
import { chatTool } from './chat.tool.js';
import {
  COMPLETIONS_PATH,
  CompletionBatchEndpoint,
} from './completions/completion-batch.endpoint.js';
import { inferenceFailures } from './inference.failures.js';
import { InferenceModule } from './inference.module.js';
import { inferenceErrors } from './inference.errors.js';
import {
  batchShareSettings,
  requestLimitSettings,
  rigWeightSettings,
} from './inference.settings.js';
import { textEngine } from './text/text.engine.js';
import { RigOperations } from './rigs/rig.operations.js';

/** Writes no events: the evidence of its product is in the ledger's events. */
export const inferenceArea = defineArea({
  name: 'inference',
  description: 'Chat completions, compatible with the interface of OpenAI.',
  products: [chatProduct, cachedChatProduct],
  errors: inferenceErrors,
  failures: inferenceFailures,
  engines: [textEngine],
  batchEndpoints: [
    { path: CHAT_PATH, endpoint: ChatBatchEndpoint },
    { path: COMPLETIONS_PATH, endpoint: CompletionBatchEndpoint },
  ],
  tools: [chatTool],
  settings: [requestLimitSettings, batchShareSettings, rigWeightSettings, answerCacheSettings],
  readiness: [RigOperations],
  metrics: [RigOperations],
  module: InferenceModule,
});
