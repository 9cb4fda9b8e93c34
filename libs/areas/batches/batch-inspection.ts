import { type BatchFault, FAULTS_MAX } from '#events/batches/batch.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { INPUT_METER } from '#events/token-meters.js';
import {
  type AcceptedItem,
  type BatchEndpoint,
  type BatchPrice,
} from '#platform/batches/batch-endpoint.js';
import { type TariffTerms } from '#platform/chats/token-tariff.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { type BatchItem, LINE_BYTES_MAX, readItem } from './batch-item.js';
import { type FileLine, linesOf } from './jsonl.js';

export const LINES_MAX = 50_000;

/** A valid input file, with its price. */
export interface InspectedInput {
  /** The one model of all lines. */
  readonly model: string;
  readonly lines: number;
  readonly price: BatchPrice;
  /** The instant of the price, in milliseconds since the Unix epoch. */
  readonly pricedAtMs: number;
  /** The price lines of the hold: the worst case of the whole batch. */
  readonly held: readonly PriceLine[];
}

export type Inspection =
  { readonly input: InspectedInput } | { readonly faults: readonly [BatchFault, ...BatchFault[]] };

/**
 * Reads an input file once, before anything is held or run. The faults of the file itself end the
 * inspection; a line whose body the endpoint rejects is no fault: it runs, fails and is free.
 */
export const inspectInput = async (
  content: AsyncIterable<Uint8Array>,
  path: string,
  endpoint: BatchEndpoint,
  nowMs: number,
): Promise<Inspection> => {
  const inspector = new Inspector(path, endpoint, nowMs);
  for await (const page of linesOf(content, LINE_BYTES_MAX)) {
    for (const line of page) {
      if (!inspector.look(line)) return inspector.end();
    }
  }
  return inspector.end();
};

class Inspector {
  readonly #faults: BatchFault[] = [];
  /** The line of each id. */
  readonly #ids = new Map<string, number>();
  readonly #bound = new Map<string, number>();
  #terms: TariffTerms = { inputTokensMax: 0 };
  #model: string | undefined;
  #price: BatchPrice | undefined;
  #lines = 0;

  constructor(
    private readonly path: string,
    private readonly endpoint: BatchEndpoint,
    private readonly nowMs: number,
  ) {}

  /** Whether there is more to find out. */
  look(from: FileLine): boolean {
    this.#lines += 1;
    if (this.#lines > LINES_MAX) {
      this.#add('too_many_tasks', `a batch has at most ${LINES_MAX} lines`, null, null);
      return false;
    }
    const read = readItem(from, this.path);
    if ('fault' in read) this.#faults.push(read.fault);
    else this.#check(read.line);
    return this.#faults.length < FAULTS_MAX;
  }

  end(): Inspection {
    if (this.#lines === 0) this.#add('empty_file', 'the input file has no line', null, null);
    const [first, ...others] = this.#faults;
    if (first) return { faults: [first, ...others] };
    if (this.#model === undefined || !this.#price) throw new Error('lines without a model');
    return {
      input: {
        model: this.#model,
        lines: this.#lines,
        price: this.#price,
        pricedAtMs: this.nowMs,
        held: this.#price.linesOf(Object.fromEntries(this.#bound), this.#terms),
      },
    };
  }

  #check({ number, customId, body }: BatchItem): void {
    const earlier = this.#ids.get(customId);
    if (earlier !== undefined) {
      const message = `custom_id is the one of line ${earlier}`;
      this.#add('duplicate_custom_id', message, 'custom_id', number);
      return;
    }
    this.#ids.set(customId, number);
    if (!this.#checkModel(body['model'], number)) return;
    const accepted = this.#accept(body);
    if (!accepted) return;
    const { bound, terms } = accepted;
    for (const [meter, quantity] of Object.entries(bound)) {
      this.#bound.set(meter, (this.#bound.get(meter) ?? 0) + quantity);
    }
    this.#terms = dearest(this.#terms, { ...terms, inputTokensMax: bound[INPUT_METER] ?? 0 });
  }

  #checkModel(model: unknown, line: number): boolean {
    const param = 'body.model';
    if (typeof model !== 'string' || model === '') {
      this.#add('missing_required_parameter', 'body.model is missing', param, line);
      return false;
    }
    if (this.#model === undefined) {
      this.#model = model;
      this.#price = this.endpoint.price(model, this.nowMs);
    }
    if (model !== this.#model) {
      const message = 'all lines of a batch ask for one model; this one differs from the first';
      this.#add('model_mismatch', message, param, line);
      return false;
    }
    if (this.#price) return true;
    const message = 'the model is not in the catalog; GET /v1/models lists its models';
    this.#add('model_not_found', message, param, line);
    return false;
  }

  /** Undefined for a line that will fail. */
  #accept(body: unknown): AcceptedItem | undefined {
    try {
      return this.endpoint.accept(body);
    } catch (error) {
      if (error instanceof RejectedRequestError || error instanceof DomainError) return undefined;
      throw error;
    }
  }

  #add(code: string, message: string, param: string | null, line: number | null): void {
    this.#faults.push({ code, message, param, line });
  }
}

/** Terms at which no line costs more than at its own. */
const dearest = (one: TariffTerms, other: TariffTerms): TariffTerms => ({
  hasMedia: one.hasMedia === true || other.hasMedia === true,
  inputTokensMax: Math.max(one.inputTokensMax ?? 0, other.inputTokensMax ?? 0),
});
