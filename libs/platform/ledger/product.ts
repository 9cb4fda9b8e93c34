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
  readonly evidence: unknown;
}

/** The further facts that a charge states. */
interface StatedCharge extends Stated {
  readonly excess?: readonly Excess[];
  readonly model?: string;
}

/** A product, and what spares most of its holds and charges the search and the parsing. */
interface Known {
  readonly product: AnyProduct;
  /** With the meters of tools, where it calls them. */
  readonly meters: ReadonlySet<string>;
  /** Null where zod has to judge. */
  readonly holdCheck: SchemaCheck | null;
  readonly captureCheck: SchemaCheck | null;
}

/** The products of every area. */
export class Products {
  readonly #byPurpose = new Map<string, Known>();

  /**
   * @param toolMeters the meters of every tool, with the unit in words
   * @throws Error when two products have one purpose
   */
  constructor(products: readonly AnyProduct[], toolMeters: Product['meters'] = {}) {
    for (const product of products) {
      const { purpose, holdEvidence, captureEvidence } = product;
      if (this.#byPurpose.has(purpose)) throw new Error(`two products have the purpose ${purpose}`);
      const further = product.callsTools ? Object.keys(toolMeters) : [];
      this.#byPurpose.set(purpose, {
        product,
        meters: new Set([...Object.keys(product.meters), ...further]),
        holdCheck: schemaCheckOf(holdEvidence),
        captureCheck: schemaCheckOf(captureEvidence),
      });
    }
  }

  /** @throws ProductMismatchError */
  of(purpose: string): AnyProduct {
    return this.#known(purpose).product;
  }

  /**
   * The product of a hold whose lines and evidence fit it.
   * @throws ProductMismatchError
   */
  ofHold(hold: Stated): AnyProduct {
    const { product, meters, holdCheck } = this.#known(hold.purpose);
    demandMeters(product, meters, hold.lines);
    demandEvidence(product, product.holdEvidence, holdCheck, hold.evidence);
    return product;
  }

  /**
   * The product of a charge whose lines and evidence fit it, and whose lines can be priced again.
   * @throws ProductMismatchError
   */
  ofCapture(capture: StatedCharge): AnyProduct {
    const { product, meters, captureCheck } = this.#known(capture.purpose);
    demandMeters(product, meters, capture.lines);
    if (capture.excess) demandMeters(product, meters, capture.excess);
    for (const line of capture.lines) demandModel(product, line, capture.model);
    demandEvidence(product, product.captureEvidence, captureCheck, capture.evidence);
    return product;
  }

  /**
   * The product whose meters these lines count.
   * @throws ProductMismatchError
   */
  ofLines({ purpose, lines }: Pick<Stated, 'purpose' | 'lines'>): AnyProduct {
    const { product, meters } = this.#known(purpose);
    demandMeters(product, meters, lines);
    return product;
  }

  #known(purpose: string): Known {
    const known = this.#byPurpose.get(purpose);
    if (!known) throw new ProductMismatchError(`no area declares the product ${purpose}`);
    return known;
  }
}

const demandMeters = (
  { purpose }: AnyProduct,
  meters: ReadonlySet<string>,
  lines: readonly Pick<PriceLine, 'meter'>[],
): void => {
  for (const { meter } of lines) {
    if (!meters.has(meter)) {
      throw new ProductMismatchError(`the product ${purpose} has no meter ${meter}`);
    }
  }
};

const demandEvidence = (
  { purpose }: AnyProduct,
  schema: z.ZodType,
  check: SchemaCheck | null,
  evidence: unknown,
): void => {
  if (check?.(evidence)) return;
  const { error } = schema.safeParse(evidence);
  if (!error) return;
  const reason = z.prettifyError(error);
  throw new ProductMismatchError(`the evidence does not fit the product ${purpose}: ${reason}`);
};

const demandModel = ({ purpose }: AnyProduct, line: PriceLine, model: string | undefined): void => {
  if (!isModelMeter(line.meter) || (line.model ?? model) !== undefined) return;
  throw new ProductMismatchError(`a charge for ${purpose} has ${line.meter} without a model`);
};
