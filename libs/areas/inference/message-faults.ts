export const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
export const PARTS_MAX = 1_000;

const roles: ReadonlySet<unknown> = new Set(ROLES);

/** A field of a request, and what is wrong with it. */
export interface Fault {
  readonly param: string;
  readonly message: string;
}

/**
 * The faults of messages, at most one for each. A loop and not a schema: a body may have thousands
 * of messages, and a schema takes microseconds for each one that is wrong.
 */
export const faultsOf = (messages: readonly unknown[]): readonly Fault[] => {
  const faults: Fault[] = [];
  messages.forEach((message, n) => {
    const fault = faultOf(message);
    if (fault) faults.push({ ...fault, param: `messages[${n}]${fault.param}` });
  });
  return faults;
};

const faultOf = (message: unknown): Fault | undefined => {
  if (!isObject(message)) return { param: '', message: 'expected an object' };
  const { role, content } = message;
  if (!roles.has(role)) {
    return { param: '.role', message: `expected one of ${ROLES.join(', ')}` };
  }
  if (content == null || typeof content === 'string') return undefined;
  if (!Array.isArray(content)) {
    return { param: '.content', message: 'expected a string, a list of parts, or null' };
  }
  if (content.length > PARTS_MAX) {
    return { param: '.content', message: `expected at most ${PARTS_MAX} parts` };
  }
  const wrong = content.findIndex((part) => !isObject(part) || typeof part['type'] !== 'string');
  if (wrong === -1) return undefined;
  return { param: `.content[${wrong}].type`, message: 'expected a string' };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
