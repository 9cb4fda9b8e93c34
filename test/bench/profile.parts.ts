/** A CPU profile of V8, as `--cpu-prof` writes it. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of the nodes on top of the stack, one for each sample. */
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
  /** Microseconds of the monotonic clock, as `process.hrtime` counts them. */
  readonly startTime: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** Microseconds of a part: on top of the stack, and anywhere in it. */
export interface PartTime {
  readonly self: number;
  readonly inclusive: number;
}

/** The first pattern that fits the address of a function names its part. */
const PARTS: readonly (readonly [pattern: RegExp, part: string])[] = [
  [/\/node_modules\/(@nestjs\/(?:cqrs|core|common|platform-fastify))\//, '$1'],
  [/\/node_modules\/(@?[^/]+(?:(?<=@[^/]+)\/[^/]+)?)\//, '$1'],
  [/^node:internal\/(?:process|timers|async_hooks|event_target|abort)|^node:events/, 'node: ticks'],
  [/^node:(?:_http|internal\/http|http)/, 'node: http'],
  [/^node:(?:net|internal\/(?:stream|net|js_stream))/, 'node: sockets'],
  [/^node:internal\/(?:worker|per_context|messaging)/, 'node: worker messages'],
  [/^node:/, 'node: other'],
  [/\/libs\/platform\/event-store\//, 'event store'],
  [/\/libs\/platform\/runtime\/(?:command|event-codec|settled|snapshots|derived)/, 'commands'],
  [/\/libs\/platform\/runtime\/|\/projections\//, 'projections and sagas'],
  [/\/libs\/platform\/read-store\//, 'read store'],
  [/\/libs\/platform\/([a-z-]+)\//, 'platform: $1'],
  [/\/events\//, 'event definitions'],
  [/\/libs\/areas\/([a-z-]+)\//, 'area: $1'],
  [/\/apps\/([a-z-]+)\//, 'app: $1'],
];

const NATIVE: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'V8 and libuv',
};

const IDLE: ReadonlySet<string> = new Set(['(idle)', '(root)']);
/** A thread that waits for its next request without an event loop. */
const WAITING = /\/threads\/bell\.js$/;

/** Null for time in which the thread slept. */
const partOf = ({ functionName, url }: ProfileNode['callFrame']): string | null => {
  if (IDLE.has(functionName) || (functionName === 'wait' && WAITING.test(url))) return null;
  if (url === '') return NATIVE[functionName] ?? 'native functions';
  for (const [pattern, name] of PARTS) {
    const found = pattern.exec(url);
    if (found) return name.replace('$1', found[1] ?? '');
  }
  return 'other';
};

/** The part of each node, and all parts of the stack under it. */
const stacksOf = (nodes: readonly ProfileNode[]) => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stacks = new Map<number, { readonly own: string | null; readonly all: Set<string> }>();
  const walk = (node: ProfileNode, above: ReadonlySet<string>): void => {
    const own = partOf(node.callFrame);
    const all = new Set(above);
    if (own !== null) all.add(own);
    stacks.set(node.id, { own, all });
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) walk(child, all);
    }
  };
  const [root] = nodes;
  if (root) walk(root, new Set());
  return stacks;
};

/**
 * The time of each part between two instants, in microseconds of the monotonic clock. A sample
 * counts until the next one.
 */
export const partTimes = (
  { nodes, samples, timeDeltas, startTime }: CpuProfile,
  from: number,
  to: number,
): ReadonlyMap<string, PartTime> => {
  const stacks = stacksOf(nodes);
  const times = new Map<string, PartTime>();
  const add = (part: string, self: number, inclusive: number): void => {
    const known = times.get(part) ?? { self: 0, inclusive: 0 };
    times.set(part, { self: known.self + self, inclusive: known.inclusive + inclusive });
  };
  let now = startTime;
  for (const [index, id] of samples.entries()) {
    now += timeDeltas[index] ?? 0;
    const lasted = timeDeltas[index + 1] ?? 0;
    const stack = stacks.get(id);
    if (now < from || now > to || !stack || stack.own === null) continue;
    add(stack.own, lasted, 0);
    for (const part of stack.all) add(part, 0, lasted);
  }
  return times;
};

/** The name of the thread, from the script that it was started with. */
export const threadOf = ({ nodes }: CpuProfile): string => {
  for (const { callFrame } of nodes) {
    const worker = /([^/]+)\.worker\.js$/.exec(callFrame.url);
    if (worker?.[1] !== undefined) return worker[1];
  }
  return 'main';
};
