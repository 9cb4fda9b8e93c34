import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { z } from 'zod';
import { type UsedUnits } from '#events/hold.vocabulary.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { describedBy } from '#platform/runtime/areas/failure.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import {
  type AnyTool,
  TOOL_CALLS_METER,
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
} from './tool.js';

/** Why a call failed, as a record may have it: no input and no secret. */
export interface ToolFailure {
  readonly code: string;
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly isRetryable: boolean;
}

/** Statuses of failures that may be over later. */
const isPassing = (status: number): boolean => status === 429 || (status >= 500 && status !== 501);

/** The tools of every area. The class is the injection token. */
@Injectable()
export class Tools {
  readonly #byName = new Map<string, AnyTool>();
  readonly #inputSchemas = new Map<string, z.core.JSONSchema.JSONSchema>();

  /** @throws Error when two tools have one name */
  constructor(
    private readonly areas: Areas,
    @Inject(ModuleRef) private readonly providers: Pick<ModuleRef, 'get'>,
  ) {
    for (const tool of areas.list.flatMap(({ tools }) => tools)) {
      if (this.#byName.has(tool.name)) throw new Error(`two tools are called ${tool.name}`);
      this.#byName.set(tool.name, tool);
    }
  }

  /** In the order of their names. */
  get list(): readonly AnyTool[] {
    const names = [...this.#byName.keys()].toSorted();
    return names.flatMap((name) => this.find(name) ?? []);
  }

  find(name: string): AnyTool | undefined {
    return this.#byName.get(name);
  }

  /**
   * The JSON Schema of a tool's input, for callers and models.
   * @throws ToolError `unknown_tool`
   */
  inputSchemaOf(name: string): z.core.JSONSchema.JSONSchema {
    const known = this.#inputSchemas.get(name);
    if (known) return known;
    const schema = z.toJSONSchema(this.#demand(name).input, { io: 'input' });
    this.#inputSchemas.set(name, schema);
    return schema;
  }

  /**
   * The worst case of a call.
   * @throws ToolError `unknown_tool`, `invalid_input`, and whatever the tool throws
   */
  async estimate(name: string, input: unknown, call: ToolCall): Promise<ToolEstimate> {
    const tool = this.#demand(name);
    const estimate = await this.#runnerOf(tool).estimate(inputOf(tool, input), call);
    demandMeters(tool, estimate.lines);
    const price = this.#priceOfCall(tool, call);
    if (!price) return estimate;
    const { rateCardVersion, line } = price;
    return { lines: [...estimate.lines, line], rateCardVersion };
  }

  /**
   * Runs a call. The caller has held its worst case.
   * @throws ToolError `unknown_tool`, `invalid_input`, and whatever the tool throws
   */
  async run(name: string, input: unknown, call: ToolCall): Promise<ToolOutcome<unknown>> {
    const tool = this.#demand(name);
    call.signal.throwIfAborted();
    const checked = inputOf(tool, input);
    const counted = this.#priceOfCall(tool, call) ? [ONE_CALL] : [];
    const outcome = await this.#runnerOf(tool)
      .run(checked, call)
      .catch((error: unknown) => {
        demandMeters(tool, this.usedBy(error));
        throw this.#withUsed(error, counted);
      });
    demandMeters(tool, outcome.used);
    const used = [...outcome.used, ...counted];
    return { ...outcome, used, output: tool.output.parse(outcome.output) };
  }

  /** The usage of a failed or aborted call. */
  usedBy(error: unknown): readonly UsedUnits[] {
    return error instanceof ToolError ? (error.details.used ?? []) : [];
  }

  /**
   * The failure that a caller sees of an error of `estimate` or `run`; null for a defect, which is
   * logged.
   */
  failureOf(error: unknown): ToolFailure | null {
    if (error instanceof ToolError) {
      const { code, message, details } = error;
      return { code, message, isRetryable: details.isRetryable ?? false };
    }
    const described = describedBy(error, this.areas.meanings());
    if (!described) return null;
    const { status, code, message } = described;
    return { code, message, isRetryable: isPassing(status) };
  }

  /** Undefined for a tool that does not cost by the call, and where the catalog has no price. */
  #priceOfCall({ meters }: AnyTool, { pricedAtMs }: ToolCall) {
    if (!Object.hasOwn(meters, TOOL_CALLS_METER)) return undefined;
    const list = this.providers.get(MeterPrices, { strict: false }).inForce(pricedAtMs);
    const price = list?.prices.get(TOOL_CALLS_METER);
    if (!list || !price) return undefined;
    return { rateCardVersion: list.rateCardVersion, line: { ...ONE_CALL, ...price } };
  }

  /** The failure with its usage. A defect costs nothing. */
  #withUsed(error: unknown, counted: readonly UsedUnits[]): unknown {
    const failure = counted.length === 0 ? null : this.failureOf(error);
    if (!failure) return error;
    const { code, message, isRetryable } = failure;
    const details = error instanceof ToolError ? error.details : { isRetryable };
    return new ToolError(code, message, { ...details, used: [...this.usedBy(error), ...counted] });
  }

  #demand(name: string): AnyTool {
    const tool = this.find(name);
    if (tool) return tool;
    const names = this.list.map((one) => one.name).join(', ');
    throw new ToolError('unknown_tool', `there is no tool ${name}; the tools are ${names}`);
  }

  #runnerOf({ runner }: AnyTool) {
    return this.providers.get(runner, { strict: false });
  }
}

const ONE_CALL = { meter: TOOL_CALLS_METER, quantity: 1 } as const;

const inputOf = ({ name, input: schema }: AnyTool, input: unknown): unknown => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const param = z.core.toDotPath(first?.path ?? []);
  const where = param === '' ? '' : `${param}: `;
  const detail = `the input of ${name} is invalid: ${where}${first?.message ?? ''}`;
  throw new ToolError('invalid_input', detail, param === '' ? {} : { param });
};

/** A meter that the tool does not declare is a defect: nothing could charge it. */
const demandMeters = (
  { name, meters }: AnyTool,
  counted: readonly { readonly meter: string }[],
): void => {
  for (const { meter } of counted) {
    if (!Object.hasOwn(meters, meter)) throw new Error(`the tool ${name} has no meter ${meter}`);
  }
};
