import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import {
  defineTool,
  type ToolCall,
  ToolError,
  type ToolEstimate,
  type ToolOutcome,
  type ToolRunner,
} from '#platform/tools/tool.js';
import { fuelPriceOf } from './fuel-price.js';
import {
  ENTRY_POINT_DEFAULT,
  GAS_LIMIT_DEFAULT,
  MEMORY_LIMIT_MB_DEFAULT,
} from './limit-defaults.js';
import { checkLimits, type ModuleOrder, taskOf } from './module-order.js';
import { ModuleRunner } from './module-runner.js';
import { UnstartableError } from './sandbox.errors.js';
import { SANDBOX_SETTINGS, type SandboxSettings } from './sandbox.settings.js';
import { textOf } from './output-text.js';
import { readingFuelOf, startFuelMaxOf, type WasmEnd, type WasmTask } from './wasm.engine.js';
import { FUEL_METER, wasmProduct } from './wasm.product.js';

const WasmToolInput = z.strictObject({
  wasm_base64: z.string().min(1).describe('A WebAssembly module in base64.'),
  entry_point: z.string().min(1).max(256).default(ENTRY_POINT_DEFAULT),
  args: z
    .array(z.string().max(4_096))
    .max(64)
    .default([])
    .describe('Arguments of the program, or the numbers that the entry point takes.'),
  stdin: z.string().max(65_536).default(''),
  memory_limit_mb: z.int().min(1).default(MEMORY_LIMIT_MB_DEFAULT),
  gas_limit: z.int().min(1).default(GAS_LIMIT_DEFAULT),
});
type WasmToolInput = z.infer<typeof WasmToolInput>;

const WasmToolOutput = z.strictObject({
  outcome: z.string(),
  exit_code: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  message: z.string().nullable(),
});
type WasmToolOutput = z.infer<typeof WasmToolOutput>;

/** Runs a module for a workflow or an agent, by the rules and prices of `/wasm/execute`. */
@Injectable()
export class WasmTool implements ToolRunner<WasmToolInput, WasmToolOutput> {
  constructor(
    private readonly prices: MeterPrices,
    private readonly runner: ModuleRunner,
    @Inject(SANDBOX_SETTINGS) private readonly settings: SandboxSettings,
  ) {}

  estimate(input: WasmToolInput, { pricedAtMs }: ToolCall): Promise<ToolEstimate> {
    return Promise.try(() => {
      checkLimits(orderOf(input), this.settings);
      const price = fuelPriceOf(this.prices.inForce(pricedAtMs));
      const { rateCardVersion } = price;
      // The size of a module bounds what its start costs.
      const start = startFuelMaxOf(Math.ceil(input.wasm_base64.length * BYTES_PER_CHARACTER));
      return { lines: [price.lineOf(input.gas_limit + start)], rateCardVersion };
    });
  }

  /** A module has no effect outside, so a repeat runs it again. */
  async run(
    input: WasmToolInput,
    { accountId, signal }: ToolCall,
  ): Promise<ToolOutcome<WasmToolOutput>> {
    const task = await taskOf(orderOf(input), this.settings);
    const end = await this.#run(accountId, task, signal);
    if (!end) throw cutOf(signal) ?? new RequestCutError('shut_down');
    const { outcome, exitCode, message, fuel, startFuel, elapsedMs, memoryBytes } = end;
    return {
      output: {
        outcome,
        exit_code: exitCode,
        message,
        stdout: textOf(end.stdoutBase64),
        stderr: textOf(end.stderrBase64),
      },
      used: [{ meter: FUEL_METER, quantity: fuel + startFuel }],
      counters: {
        gas_used: fuel,
        start_gas: startFuel,
        execution_time_ms: elapsedMs,
        memory_bytes: memoryBytes,
      },
    };
  }

  async #run(accountId: string, task: WasmTask, signal: AbortSignal): Promise<WasmEnd | undefined> {
    try {
      return await this.runner.run(accountId, task, signal);
    } catch (error) {
      if (!(error instanceof UnstartableError)) throw error;
      const used = [{ meter: FUEL_METER, quantity: readingFuelOf(task.moduleBytes) }];
      throw new ToolError(error.code, error.detail, { used });
    }
  }
}

/** Of base64. */
const BYTES_PER_CHARACTER = 3 / 4;

const orderOf = (input: WasmToolInput): ModuleOrder => ({
  wasmBase64: input.wasm_base64,
  entryPoint: input.entry_point,
  args: input.args,
  stdin: input.stdin,
  memoryLimitMb: input.memory_limit_mb,
  gasLimit: input.gas_limit,
});

export const wasmTool = defineTool({
  name: 'wasm',
  description: 'Runs a WebAssembly module in a sandbox and returns what it printed.',
  input: WasmToolInput,
  output: WasmToolOutput,
  meters: wasmProduct.meters,
  runner: WasmTool,
});
