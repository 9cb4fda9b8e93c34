/** The state of a training between two steps, as bytes that are equal for equal states. */
import { type OptimizerState } from '../adam-w.optimizer.js';
import { TrainingError } from '../training.errors.js';
import { type HeldOut } from '../training.protocol.js';

export interface TrainingState {
  /** Steps that were taken. */
  readonly step: number;
  /** Token ids of the texts of the teacher. */
  readonly written: readonly (readonly number[])[];
  readonly losses: readonly number[];
  readonly before: HeldOut | null;
  readonly tokens: number;
  readonly seconds: number;
  /** Null before the first step. */
  readonly learned: Float32Array | null;
  readonly optimizer: OptimizerState | null;
}

export const BEGINNING: TrainingState = {
  step: 0,
  written: [],
  losses: [],
  before: null,
  tokens: 0,
  seconds: 0,
  learned: null,
  optimizer: null,
};

const MAGIC = 'QTRN1';
const LENGTH_BYTES = 4;

/** @param task a text that another task does not have: a checkpoint continues its own only */
export const checkpointOf = (
  { learned, optimizer, ...rest }: TrainingState,
  task: string,
): Uint8Array => {
  const head = { ...rest, task, size: learned?.length ?? 0, moves: optimizer?.steps ?? 0 };
  const json = Buffer.from(JSON.stringify(head), 'utf8');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  const arrays = learned && optimizer ? [learned, optimizer.first, optimizer.second] : [];
  const bytes = arrays.map((array) =>
    Buffer.from(array.buffer, array.byteOffset, array.byteLength),
  );
  const whole = Buffer.concat([Buffer.from(MAGIC), length, json, ...bytes]);
  return new Uint8Array(whole);
};

/** @throws TrainingError `checkpoint_unusable` */
export const stateIn = (bytes: Uint8Array, task: string): TrainingState => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.toString('latin1', 0, MAGIC.length) !== MAGIC) return unusable('it is none');
  const start = MAGIC.length + LENGTH_BYTES;
  const end = start + buffer.readUInt32LE(MAGIC.length);
  const {
    size,
    moves,
    task: owner,
    ...rest
  } = JSON.parse(buffer.toString('utf8', start, end)) as Head;
  if (owner !== task) return unusable('it is of another training');
  if (buffer.length !== end + 3 * 4 * size) return unusable('it is cut short');
  if (size === 0) return { ...rest, learned: null, optimizer: null };
  const array = (index: number): Float32Array => {
    const values = new Float32Array(size);
    const from = end + index * values.byteLength;
    new Uint8Array(values.buffer).set(buffer.subarray(from, from + values.byteLength));
    return values;
  };
  return {
    ...rest,
    learned: array(0),
    optimizer: { steps: moves, first: array(1), second: array(2) },
  };
};

type Head = Omit<TrainingState, 'learned' | 'optimizer'> & {
  readonly task: string;
  readonly size: number;
  readonly moves: number;
};

const unusable = (detail: string): never => {
  throw new TrainingError('checkpoint_unusable', `the checkpoint cannot be used: ${detail}`);
};
