import { type Usage } from '#platform/chats/chat-usage.js';
import { type JsonObject } from './chat-backend.js';
import { type CostSink } from './cost-sink.js';

/** `rerank`: documents by their nearness to a query. `moderation`: inputs by their categories. */
export type ScoringTask = 'rerank' | 'moderation';

/** A request for scores, in the shape of OpenAI (moderations), Cohere and Jina (rankings). */
export interface ScoringRequest {
  readonly task: ScoringTask;
  /** The body to send; `model` is the rig's. */
  readonly body: JsonObject;
  /** Documents or inputs. */
  readonly items: number;
  /** An upper bound on the tokens that the rig may count. */
  readonly promptTokensMax: number;
  /** The usage of a rig that states none, in favour of the customer. */
  readonly counted: Pick<Usage, 'promptTokens' | 'searches'>;
  /** Absent where the rig states no cost. */
  readonly cost?: CostSink;
}

export interface ScoringAnswer {
  /** One for each document or input, or fewer documents, as the rig sends them. */
  readonly results: readonly JsonObject[];
  /** Of the answer; null where the rig gives none. */
  readonly id: string | null;
  /** Null where the rig does not say. */
  readonly modelAnswered: string | null;
  readonly usage: Usage;
}

/** A rig that moderates and ranks. */
export interface ScoringBackend {
  /** @throws RigError */
  score(request: ScoringRequest, signal: AbortSignal): Promise<ScoringAnswer>;
}
