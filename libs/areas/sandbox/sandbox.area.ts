import { defineArea } from '#platform/runtime/areas/area.js';
import { sandboxErrors, sandboxFailures } from './sandbox.errors.js';
import { SandboxModule } from './sandbox.module.js';
import { sandboxSettings } from './sandbox.settings.js';
import { wasmEngine } from './wasm.engine.js';
import { wasmProduct } from './wasm.product.js';
import { wasmTool } from './wasm.tool.js';

/** Writes no events: the evidence of its product is in the ledger's events. */
export const sandboxArea = defineArea({
  name: 'sandbox',
  description:
    'WebAssembly modules, run within limits and charged by the instructions they execute.',
  products: [wasmProduct],
  engines: [wasmEngine],
  tools: [wasmTool],
  errors: sandboxErrors,
  failures: sandboxFailures,
  settings: [sandboxSettings],
  module: SandboxModule,
});
