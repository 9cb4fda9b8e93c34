import { Inject, Injectable } from '@nestjs/common';
import { Counter, Histogram, Registry } from 'prom-client';
import { MODEL_CATALOG, type ModelCatalog } from '#areas/inference/ports.js';
import { type Usage } from '#platform/chats/chat-usage.js';

/** Buckets of the OpenTelemetry GenAI conventions, in seconds and in tokens. */
const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKEN_BUCKETS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

/** The label of unknown names: each label value stays in memory, and callers may send any name. */
const UNKNOWN_MODEL = 'unknown';
/** The label of charges that no rig answered. */
const NO_RIG = 'none';

export interface ChatCharge {
  readonly model: string;
  /** Null where no rig answered. */
  readonly rig: string | null;
  readonly usage: Usage;
  readonly chargedMicroUsd: bigint;
}

/** Operations on an input that have no output. */
export type InputOperation = 'embeddings' | 'rerank' | 'moderation';

export interface InputCharge {
  readonly model: string;
  readonly rig: string;
  readonly promptTokens: number;
  readonly chargedMicroUsd: bigint;
}

/** The metrics of one model, each looked up by one name: a chat joins no labels. */
interface ModelMetrics {
  /** By rig. */
  readonly charges: Map<string, ChargeMetrics>;
  /** By error code. */
  readonly durations: Map<string, Histogram.Internal<string>>;
}

interface ChargeMetrics {
  readonly input: Histogram.Internal<string>;
  readonly output: Histogram.Internal<string>;
  readonly charged: Counter.Internal;
}

/**
 * Metrics of chats, embeddings, rankings and moderations. The names follow the OpenTelemetry
 * semantic conventions for generative AI, with underscores for dots and the unit at the end. Others
 * start with `quipu_`.
 */
@Injectable()
export class ChatMetrics {
  readonly #duration: Histogram;
  readonly #firstToken: Histogram;
  readonly #tokens: Histogram;
  readonly #charged: Counter;

  /** By label: a model of the catalog or `unknown`, so their number is bounded. */
  readonly #models = new Map<string, ModelMetrics>();

  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    registry: Registry,
  ) {
    const registers = [registry];
    this.#duration = new Histogram({
      name: 'gen_ai_server_request_duration_seconds',
      help: 'Time from the request to the end of its answer.',
      labelNames: ['gen_ai_operation_name', 'gen_ai_request_model', 'error_type'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#firstToken = new Histogram({
      name: 'gen_ai_server_time_to_first_token_seconds',
      help: 'Time from the request to the first page of a stream.',
      labelNames: ['gen_ai_operation_name', 'gen_ai_request_model'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#tokens = new Histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a charged request.',
      labelNames: ['gen_ai_operation_name', 'gen_ai_request_model', 'gen_ai_token_type'],
      buckets: TOKEN_BUCKETS,
      registers,
    });
    this.#charged = new Counter({
      name: 'quipu_charged_micro_usd_total',
      help: 'Micro-dollars charged, by model and rig.',
      labelNames: ['gen_ai_request_model', 'rig'],
      registers,
    });
  }

  chatCharged({ model, rig, usage, chargedMicroUsd }: ChatCharge): void {
    const { input, output, charged } = this.#chargesOf(model, rig);
    input.observe(usage.promptTokens);
    output.observe(usage.completionTokens);
    charged.inc(Number(chargedMicroUsd));
  }

  /** @param error the error code of an unfinished answer, or empty */
  chatEnded(model: string, seconds: number, error: string): void {
    const label = this.catalog.model(model) ? model : UNKNOWN_MODEL;
    this.#durationOf(label, error).observe(seconds);
  }

  /** Of work without output. */
  inputCharged(
    operation: InputOperation,
    { model, rig, promptTokens, chargedMicroUsd }: InputCharge,
  ): void {
    this.#tokens.labels(operation, model, 'input').observe(promptTokens);
    this.#charged.labels(model, rig).inc(Number(chargedMicroUsd));
  }

  /**
   * @param model null for one that is not in the catalog
   * @param error the error code of an unfinished answer, or empty
   */
  inputEnded(
    operation: InputOperation,
    model: string | null,
    seconds: number,
    error: string,
  ): void {
    this.#duration.labels(operation, model ?? UNKNOWN_MODEL, error).observe(seconds);
  }

  firstPage(model: string, seconds: number): void {
    this.#firstToken.labels('chat', model).observe(seconds);
  }

  #durationOf(label: string, error: string): Histogram.Internal<string> {
    const { durations } = this.#modelOf(label);
    const known = durations.get(error);
    if (known) return known;
    const duration = this.#duration.labels('chat', label, error);
    durations.set(error, duration);
    return duration;
  }

  #chargesOf(model: string, answeredBy: string | null): ChargeMetrics {
    const rig = answeredBy ?? NO_RIG;
    const { charges } = this.#modelOf(model);
    const known = charges.get(rig);
    if (known) return known;
    const metrics = {
      input: this.#tokens.labels('chat', model, 'input'),
      output: this.#tokens.labels('chat', model, 'output'),
      charged: this.#charged.labels(model, rig),
    };
    charges.set(rig, metrics);
    return metrics;
  }

  #modelOf(label: string): ModelMetrics {
    const known = this.#models.get(label);
    if (known) return known;
    const metrics = { charges: new Map(), durations: new Map() };
    this.#models.set(label, metrics);
    return metrics;
  }
}
