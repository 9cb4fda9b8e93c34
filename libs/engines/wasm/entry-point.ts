import { F32, F64, I32, I64, nameOfType } from './binary/value-type.js';
import { FUNCTION_KIND, type FunctionType, type ModuleShape } from './metering/module-shape.js';
import { WasmError } from './wasm.errors.js';

/** The function of a WASI command. */
export const COMMAND_ENTRY = '_start';

type Argument = number | bigint;

const NUMBERS = [I32, I64, F32, F64];

/**
 * The type of an exported function.
 * @throws WasmError `entry_point_missing`, `entry_point_unsupported`
 */
export const entryPointOf = ({ exports, functions }: ModuleShape, name: string): FunctionType => {
  const found = exports.find((one) => one.name === name);
  const type = found?.kind === FUNCTION_KIND ? functions[found.index] : undefined;
  if (type === undefined) {
    const names = exports.filter(({ kind }) => kind === FUNCTION_KIND).map((one) => one.name);
    const listed = names.slice(0, 20).join(', ').slice(0, 500);
    const known = listed === '' ? 'it exports no function' : `it exports ${listed}`;
    throw new WasmError('entry_point_missing', `the module has no function ${name}: ${known}`);
  }
  const strange = [...type.params, ...type.results].find((one) => !NUMBERS.includes(one));
  if (strange === undefined) return type;
  const message = `${name} takes or returns ${nameOfType(strange)}; only numbers can be passed`;
  throw new WasmError('entry_point_unsupported', message);
};

/**
 * The parameters of an entry point. One without parameters ignores them: they are `argv` to it.
 * @throws WasmError `arguments_invalid`
 */
export const parametersOf = (
  { params }: FunctionType,
  name: string,
  args: readonly string[],
): readonly Argument[] => {
  if (params.length === 0) return [];
  if (params.length !== args.length) {
    const expected = params.map(nameOfType).join(', ');
    const message = `${name} takes ${params.length} arguments (${expected}), not ${args.length}`;
    throw new WasmError('arguments_invalid', message);
  }
  return params.map((type, index) => {
    const arg = args[index] ?? '';
    const value = type === I32 || type === I64 ? wholeNumber(arg, type) : number(arg);
    if (value !== null) return value;
    throw new WasmError('arguments_invalid', `args[${index}] is not a ${nameOfType(type)}: ${arg}`);
  });
};

/** Signed or unsigned, in the range of its type; null otherwise. */
const wholeNumber = (text: string, type: number): Argument | null => {
  if (!/^-?\d{1,20}$/.test(text)) return null;
  const value = BigInt(text);
  const bits = type === I32 ? 32n : 64n;
  if (value < -(2n ** (bits - 1n)) || value >= 2n ** bits) return null;
  return type === I32 ? Number(BigInt.asIntN(32, value)) : BigInt.asIntN(64, value);
};

const number = (text: string): number | null => {
  if (/^(-?inf|nan)$/.test(text))
    return Number(text.replace('inf', 'Infinity').replace('nan', 'NaN'));
  return /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
};
