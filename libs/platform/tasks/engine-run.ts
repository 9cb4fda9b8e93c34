import { type z } from 'zod';
import { type Engine, type EngineDefinition } from './engine.js';
import { TaskError } from './task.error.js';

/**
 * Runs one task and checks the input, each piece and the end against the declaration. Every host
 * runs tasks through this function, so an engine behaves the same in each of them.
 * @throws TaskError `invalid_input`, `failed` for a piece or an end of another shape, and whatever
 *   the engine throws
 */
export async function* runTask<Input, Piece, End>(
  definition: EngineDefinition<Input, Piece, End>,
  engine: Engine<Input, Piece, End>,
  input: Input,
  signal: AbortSignal,
): AsyncGenerator<Piece, End, void> {
  const { name } = definition;
  const pieces = engine.run(inputOf(definition, input), signal);
  let isOpen = true;
  try {
    for (;;) {
      const next = await pieces.next();
      if (next.done) {
        isOpen = false;
        return checked(definition.end, next.value, `the end of engine ${name} is invalid`);
      }
      yield checked(definition.piece, next.value, `a piece of engine ${name} is invalid`);
    }
  } finally {
    // Nothing reads the value with which an abandoned generator returns.
    if (isOpen) await pieces.return(undefined as End);
  }
}

/** @throws TaskError `invalid_input` */
export const inputOf = <Input>(
  { name, input: schema }: Pick<EngineDefinition<Input, unknown, unknown>, 'name' | 'input'>,
  input: Input,
): Input => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const message = `the input of engine ${name} is invalid: ${parsed.error.message}`;
  throw new TaskError('invalid_input', message, { cause: parsed.error });
};

const checked = <Value>(schema: z.ZodType<Value>, value: Value, otherwise: string): Value => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TaskError('failed', `${otherwise}: ${parsed.error.message}`, { cause: parsed.error });
};
