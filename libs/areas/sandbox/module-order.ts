import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { reject } from './sandbox.errors.js';
import { type SandboxSettings } from './sandbox.settings.js';
import { type WasmTask } from './wasm.engine.js';

/** Of a module, before base64. The limit of request bodies applies, too. */
export const MODULE_BYTES_MAX = 8 * 1_024 * 1_024;

/** A module that a caller wants to have run. */
export interface ModuleOrder {
  readonly wasmBase64: string;
  readonly entryPoint: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly memoryLimitMb: number;
  readonly gasLimit: number;
}

const deflated = promisify(deflateRaw);
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** @throws DomainError for a limit above the operator's */
export const checkLimits = (
  { memoryLimitMb, gasLimit }: Pick<ModuleOrder, 'memoryLimitMb' | 'gasLimit'>,
  { memoryMbMax, fuelMax }: SandboxSettings,
): void => {
  if (memoryLimitMb > memoryMbMax) {
    reject('wasm_memory_limit_above_max', `memory_limit_mb may be at most ${memoryMbMax} here`);
  }
  if (gasLimit > fuelMax) {
    reject('wasm_gas_limit_above_max', `gas_limit may be at most ${fuelMax} here`);
  }
};

/**
 * Checks what can be checked without reading the module, which its own thread does.
 * @throws DomainError `wasm_base64_invalid`, `wasm_module_too_large`, and for the limits
 */
export const taskOf = async (order: ModuleOrder, settings: SandboxSettings): Promise<WasmTask> => {
  checkLimits(order, settings);
  const { wasmBase64, entryPoint, args, stdin, memoryLimitMb, gasLimit } = order;
  if (wasmBase64.length % 4 !== 0 || !BASE64.test(wasmBase64)) {
    reject(
      'wasm_base64_invalid',
      'wasm_base64 is not base64, with padding and without line breaks',
    );
  }
  const module = Buffer.from(wasmBase64, 'base64');
  if (module.length > MODULE_BYTES_MAX) {
    reject('wasm_module_too_large', `a module may have at most ${MODULE_BYTES_MAX} bytes`);
  }
  return {
    moduleDeflated: (await deflated(module)).toString('base64'),
    moduleSha256: hash('sha256', module),
    moduleBytes: module.length,
    entryPoint,
    args: [...args],
    stdin,
    memoryLimitMb,
    fuelLimit: gasLimit,
    wallMsMax: settings.wallMsMax,
  };
};
