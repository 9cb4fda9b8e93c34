import { type RateCardEvent } from '#events/catalog/rate-card.events.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type PublishRateCard, type RateCardState } from './rate-card.decider.js';

export type RateCardRunner = CommandRunner<PublishRateCard, RateCardState, RateCardEvent>;
export const RATE_CARD_RUNNER = Symbol('RateCardRunner');

/** One price list for all callers. */
export const RATE_CARD_STREAM = 'ratecard-default';
