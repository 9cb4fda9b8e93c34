import { WasmCaptureEvidence, WasmHoldEvidence } from '#events/sandbox/wasm.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const FUEL_METER = 'wasm_fuel';

/** A run of a WebAssembly module. */
export const wasmProduct = defineProduct({
  purpose: 'wasm_run',
  group: 'compute',
  paced: true,
  title: 'Runs of WebAssembly modules',
  meters: { [FUEL_METER]: 'fuel: an instruction, or a byte of a bulk instruction' },
  holdEvidence: WasmHoldEvidence,
  captureEvidence: WasmCaptureEvidence,
});
