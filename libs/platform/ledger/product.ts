import { z } from 'zod';
import {
  type Excess,
  type PriceLine,
  type ProductGroup,
  Purpose,
} from '#events/hold.vocabulary.js';
import { isModelMeter } from '#events/token-meters.js';
import { Meter } from '#events/vocabulary.js';
import { type PriceCard, type PricedWork, unitPriceOf } from './price-card.js';
import { type UnitPrice } from './price.js';
import { type SchemaCheck, schemaCheckOf } from '#platform/runtime/commands/schema-check.js';

/** A service that an area charges for. */
export interface Product<
  HoldSchema extends z.ZodType = z.ZodType,
  CaptureSchema extends z.ZodType = z.ZodType,
> {
  /** The name in the events of its holds; it never changes. */
  readonly purpose: string;
  readonly group: ProductGroup;
  /**
   * Whether a request for it counts against limits per minute: work that the caller waits for.
   * Tokens are counted by the meters whose name ends in `tokens`.
   */
  readonly paced: boolean;
  /** Whether it is work that calls tools: it may be charged for the meters of every tool, too. */
  readonly callsTools: boolean;
  /** For people who read statements. */
  readonly title: string;
  /** The meters by name, each with its unit in words. */
  readonly meters: Readonly<Record<string, string>>;
  /**
   * The price of a unit of a line on a card, for corrections and what-if; null where the card has
   * none. Pure.
   */
  readonly unitPrice: (card: PriceCard, work: PricedWork) => UnitPrice | null;
  /** The schema of the evidence in `HoldPlaced`. */
  readonly holdEvidence: HoldSchema;
  /** The schema of the evidence in `HoldCaptured`. */
  readonly captureEvidence: CaptureSchema;
}

/** A product as the registry and the schema generator hold it. */
export type AnyProduct = Product;

/** The purpose, a meter or the evidence is not one that a registered product has: a defect. */
export class ProductMismatchError extends Error {
  override readonly name = 'ProductMismatchError';
}

const NO_EVIDENCE = z.strictObject({});

/** @throws ZodError when the purpose or a meter could not be written to an event */
export const defineProduct = <
  CaptureSchema extends z.ZodType,
  HoldSchema extends z.ZodType = typeof NO_EVIDENCE,
>(
  product: Omit<
    Product<HoldSchema, CaptureSchema>,
    'holdEvidence' | 'paced' | 'callsTools' | 'unitPrice'
  > & {
    /** By its model or its meter when left out. */
    readonly unitPrice?: Product['unitPrice'];
    /** False when left out. */
    readonly paced?: boolean;
    /** False when left out. */
    readonly callsTools?: boolean;
    /** Nothing when left out. */
    readonly holdEvidence?: HoldSchema;
  },
): Product<HoldSchema | typeof NO_EVIDENCE, CaptureSchema> => {
  Purpose.parse(product.purpose);
  for (const meter of Object.keys(product.meters)) Meter.parse(meter);
  const { paced = false, callsTools = false, unitPrice = unitPriceOf } = product;
  const { holdEvidence = NO_EVIDENCE } = product;
  return { ...product, paced, callsTools, unitPrice, holdEvidence };
};

/** The facts that a hold or a charge states about its product. */
interface Stated {
  readonly purpose: string;
  readonly lines: readonly PriceLine[];
  readonly excess?: readonly Excess[];
  readonly evidence: unknown;
}

/** The further facts that a charge states. */
interface StatedCharge extends Stated {
  readonly model?: string;
}

/** The products of every area. */
export class Products {
  readonly #byPurpose = new Map<string, AnyProduct>();
  readonly #checks = new Map<z.ZodType, SchemaCheck>();

  /**
   * @param toolMeters the meters of every tool, with the unit in words
   * @throws Error when two products have one purpose
   */
  constructor(
    products: readonly AnyProduct[],
    private readonly toolMeters: Product['meters'] = {},
  ) {
    for (const product of products) {
      const { purpose } = product;
      if (this.#byPurpose.has(purpose)) throw new Error(`two products have the purpose ${purpose}`);
      this.#byPurpose.set(purpose, product);
      for (const schema of [product.holdEvidence, product.captureEvidence]) {
        const check = schemaCheckOf(schema);
        if (check) this.#checks.set(schema, check);
      }
    }
  }

  /** @throws ProductMismatchError */
  of(purpose: string): AnyProduct {
    const product = this.#byPurpose.get(purpose);
    if (!product) throw new ProductMismatchError(`no area declares the product ${purpose}`);
    return product;
  }

  /**
   * The product of a hold whose lines and evidence fit it.
   * @throws ProductMismatchError
   */
  ofHold(hold: Stated): AnyProduct {
    const product = this.ofLines(hold);
    this.#demandEvidence(product, product.holdEvidence, hold.evidence);
    return product;
  }

  /**
   * The product of a charge whose lines and evidence fit it, and whose lines can be priced again.
   * @throws ProductMismatchError
   */
  ofCapture(capture: StatedCharge): AnyProduct {
    const product = this.ofLines(capture);
    for (const line of capture.lines) demandModel(product, line, capture.model);
    this.#demandEvidence(product, product.captureEvidence, capture.evidence);
    return product;
  }

  /**
   * The product whose meters these lines count.
   * @throws ProductMismatchError
   */
  ofLines({ purpose, lines, excess = [] }: Omit<Stated, 'evidence'>): AnyProduct {
    const product = this.of(purpose);
    for (const { meter } of lines) this.#demandMeter(product, meter);
    for (const { meter } of excess) this.#demandMeter(product, meter);
    return product;
  }

  #demandMeter({ purpose, meters, callsTools }: AnyProduct, meter: string): void {
    if (Object.hasOwn(meters, meter)) return;
    if (callsTools && Object.hasOwn(this.toolMeters, meter)) return;
    throw new ProductMismatchError(`the product ${purpose} has no meter ${meter}`);
  }

  #demandEvidence({ purpose }: AnyProduct, schema: z.ZodType, evidence: unknown): void {
    if (this.#checks.get(schema)?.(evidence)) return;
    const { error } = schema.safeParse(evidence);
    if (!error) return;
    const reason = z.prettifyError(error);
    throw new ProductMismatchError(`the evidence does not fit the product ${purpose}: ${reason}`);
  }
}

const demandModel = ({ purpose }: AnyProduct, line: PriceLine, model: string | undefined): void => {
  if (!isModelMeter(line.meter) || (line.model ?? model) !== undefined) return;
  throw new ProductMismatchError(`a charge for ${purpose} has ${line.meter} without a model`);
};
