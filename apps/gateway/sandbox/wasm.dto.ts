import { ApiProperty } from '@nestjs/swagger';
import {
  ENTRY_POINT_DEFAULT,
  GAS_LIMIT_DEFAULT,
  MEMORY_LIMIT_MB_DEFAULT,
} from '#areas/sandbox/limit-defaults.js';
import { NullableField } from '../fields/answer-fields.js';
import { IntegerField, StringsField, TextField } from '../fields/request-fields.js';

/** The smallest module with an entry point: it does nothing. */
const EXAMPLE = 'AGFzbQEAAAABBAFgAAADAgEABwoBBl9zdGFydAAACgQBAgAL';
const UNITS_MAX = Number.MAX_SAFE_INTEGER;

export class ExecuteWasmDto {
  @TextField({ example: EXAMPLE, description: 'A WebAssembly module in base64.', minLength: 4 })
  readonly wasm_base64!: string;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    default: ENTRY_POINT_DEFAULT,
    description:
      'The exported function to call. `_start` starts a WASI program. The results of another ' +
      'function are printed behind its output, one on each line.',
    minLength: 1,
    maxLength: 256,
  })
  readonly entry_point?: string | null;

  @IntegerField({
    required: false,
    type: 'integer',
    nullable: true,
    default: MEMORY_LIMIT_MB_DEFAULT,
    description: 'Of all memories of the module together, in MiB. A growth beyond it is denied.',
    minimum: 1,
    maximum: UNITS_MAX,
  })
  readonly memory_limit_mb?: number | null;

  @IntegerField({
    required: false,
    type: 'integer',
    nullable: true,
    default: GAS_LIMIT_DEFAULT,
    description:
      'Fuel that the run may spend, as Wasmtime counts it. Its price is held, and of the ' +
      'start of the module.',
    minimum: 1,
    maximum: UNITS_MAX,
  })
  readonly gas_limit?: number | null;

  @StringsField({
    required: false,
    maxItems: 64,
    itemLengthMax: 4_096,
    nullable: true,
    description: 'Arguments of the program, or the numbers that the entry point takes.',
  })
  readonly args?: readonly string[] | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    description: 'The standard input, as text.',
    maxLength: 65_536,
  })
  readonly stdin?: string | null;
}

const OUTCOMES = ['completed', 'trapped', 'out_of_fuel', 'out_of_memory', 'timed_out'] as const;

export class WasmExecutionDto {
  @ApiProperty({ example: 0, description: 'Of the program; 134, 152, 137 or 124 if it was ended.' })
  readonly exit_code!: number;
  @ApiProperty({ example: 'Hello\n' })
  readonly stdout!: string;
  @ApiProperty({ example: '' })
  readonly stderr!: string;
  @ApiProperty({ example: 3.2, description: 'Compiling and running.' })
  readonly execution_time_ms!: number;
  @ApiProperty({
    example: 1_024,
    description:
      'The fuel of instructions, as Wasmtime counts it, and of the work of the host for them.',
  })
  readonly gas_used!: number;
  @ApiProperty({
    example: 10_014_100,
    description:
      'The fuel of the thread, and of reading and compiling the module. Both are charged.',
  })
  readonly start_gas!: number;
  @ApiProperty({ enum: OUTCOMES })
  readonly outcome!: (typeof OUTCOMES)[number];
  @NullableField(String, 'Why the module was ended.')
  readonly message!: string | null;
  @ApiProperty({ description: 'Whether output above 128 KiB of a stream was dropped.' })
  readonly output_truncated!: boolean;
  @NullableField(Number, 'Of exported memories, at the end.')
  readonly memory_bytes!: number | null;
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  readonly module_sha256!: string;
  @ApiProperty({ example: 'wasmtime-49/2', description: 'Of the rules that count fuel.' })
  readonly meter_version!: string;
}
