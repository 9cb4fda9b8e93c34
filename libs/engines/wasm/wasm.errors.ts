/**
 * The errors that stop a module before its first instruction. `module_invalid`: it is not
 * WebAssembly. `module_refused`: it needs something that the sandbox does not run; the message
 * names it.
 */
export type WasmFailureCode =
  | 'module_invalid'
  | 'module_refused'
  | 'entry_point_missing'
  | 'entry_point_unsupported'
  | 'arguments_invalid'
  | 'closed';

export class WasmError extends Error {
  override readonly name = 'WasmError';

  constructor(
    readonly code: WasmFailureCode,
    message: string,
  ) {
    super(message);
  }
}

export const malformed = (message: string): never => {
  throw new WasmError('module_invalid', message);
};

export const reject = (message: string): never => {
  throw new WasmError('module_refused', message);
};
