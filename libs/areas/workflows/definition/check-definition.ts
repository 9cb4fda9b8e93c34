import { z } from 'zod';
import { type WorkflowNode, type WorkflowPlan } from '#events/workflows/workflow.vocabulary.js';
import { messageOf } from '#platform/kernel/faults.js';
import '#platform/runtime/areas/expected-input.js';
import { type Tools } from '#platform/tools/tools.js';
import { reject } from '../workflows.errors.js';
import { BranchParameters, CONTROL_KINDS, isControlKind } from './control-nodes.js';
import { ancestorsOf, cycleIn, topologicalOrder } from './graph.js';
import { type PathPart, type PlacedReference, referencesIn, TemplateError } from './templates.js';
import { DEFINITION_BYTES_MAX, type DocumentNode, WorkflowDocument } from './workflow-document.js';

/** A definition that may run. */
export interface CheckedDefinition {
  /** As its author wrote it, with defaults. */
  readonly document: WorkflowDocument;
  readonly plan: WorkflowPlan;
}

interface Fault {
  readonly field: string;
  readonly message: string;
}

type Kinds = Pick<Tools, 'find' | 'list'>;

/**
 * Checks a definition as a whole: names, kinds, parameters, edges, cycles, references.
 * @throws DomainError `workflow_invalid` that names the fields, ten at most
 */
export const checkDefinition = (written: unknown, tools: Kinds): CheckedDefinition => {
  demandSize(written);
  const parsed = WorkflowDocument.safeParse(written);
  if (!parsed.success) return rejectAll(parsed.error.issues.map((issue) => faultOf(issue, [])));
  const document = parsed.data;
  const faults = [...twins(document), ...edgeFaults(document), ...kindFaults(document, tools)];
  if (faults.length > 0) return rejectAll(faults);
  const ordered = demandOrder(document);
  const unmet = [...branchFaults(document), ...referenceFaults(document, ordered)];
  if (unmet.length > 0) return rejectAll(unmet);
  return { document, plan: planOf(document, ordered) };
};

const rejectAll = (faults: readonly Fault[]): never => {
  const [first] = faults;
  const detail = messageOf(faults.map(({ field, message }) => `${field}: ${message}`));
  return reject('workflow_invalid', detail, first?.field);
};

const fieldOf = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? 'definition' : z.core.toDotPath(path);

const faultOf = ({ path, message }: z.core.$ZodIssue, at: readonly PropertyKey[]): Fault => ({
  field: fieldOf([...at, ...path]),
  message,
});

const demandSize = (written: unknown): void => {
  const bytes = Buffer.byteLength(JSON.stringify(written));
  if (bytes <= DEFINITION_BYTES_MAX) return;
  const message = `${bytes} bytes of JSON are more than ${DEFINITION_BYTES_MAX}`;
  rejectAll([{ field: 'definition', message }]);
};

const twins = ({ nodes }: WorkflowDocument): readonly Fault[] =>
  nodes.flatMap(({ name }, index) => {
    if (nodes.findIndex((one) => one.name === name) === index) return [];
    return { field: `nodes[${index}].name`, message: `another node is called ${name}` };
  });

const edgeFaults = ({ nodes }: WorkflowDocument): readonly Fault[] => {
  const names = new Set(nodes.map(({ name }) => name));
  return nodes.flatMap(({ after, trigger_rule: rule }, index): readonly Fault[] => {
    const dangling = after.flatMap((name, place) => {
      const field = `nodes[${index}].after[${place}]`;
      return names.has(name) ? [] : { field, message: `there is no node ${name}` };
    });
    if (rule !== 'one_failed' || after.length > 0) return dangling;
    const message = 'one_failed needs a node before it: without one it never runs';
    return [...dangling, { field: `nodes[${index}].trigger_rule`, message }];
  });
};

const kindFaults = ({ nodes }: WorkflowDocument, tools: Kinds): readonly Fault[] =>
  nodes.flatMap(({ kind, parameters }, index): readonly Fault[] => {
    const at = ['nodes', index, 'parameters'] as const;
    if (isControlKind(kind)) {
      const own = parameterFaults(CONTROL_KINDS[kind].parameters, parameters, at);
      return kind === 'map' ? [...own, ...mapFaults(parameters, at, tools)] : own;
    }
    const tool = tools.find(kind);
    if (tool) return parameterFaults(tool.input, parameters, at);
    const known = [...Object.keys(CONTROL_KINDS), ...tools.list.map(({ name }) => name)];
    const message = `there is no kind ${kind}; the kinds are ${known.join(', ')}`;
    return [{ field: `nodes[${index}].kind`, message }];
  });

const mapFaults = (
  { tool: name, parameters }: DocumentNode['parameters'],
  at: readonly PropertyKey[],
  tools: Kinds,
): readonly Fault[] => {
  if (typeof name !== 'string' || typeof parameters !== 'object') return [];
  const tool = tools.find(name);
  if (tool) return parameterFaults(tool.input, parameters, [...at, 'parameters']);
  const known = tools.list.map((one) => one.name).join(', ');
  return [
    {
      field: fieldOf([...at, 'tool']),
      message: `there is no tool ${name}; the tools are ${known}`,
    },
  ];
};

/** The faults that a schema finds, except where a reference will be replaced by a value. */
const parameterFaults = (
  schema: z.ZodType,
  parameters: unknown,
  at: readonly PropertyKey[],
): readonly Fault[] => {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return [];
  return parsed.error.issues
    .filter(({ path }) => !hasReference(valueAt(parameters, path)))
    .map((issue) => faultOf(issue, at));
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Readonly<Record<PropertyKey, unknown>>)[part]
        : undefined,
    value,
  );

const hasReference = (value: unknown): boolean => typeof value === 'string' && value.includes('{{');

const demandOrder = ({ nodes }: WorkflowDocument): readonly DocumentNode[] => {
  const { ordered, unordered } = topologicalOrder(nodes);
  if (unordered.length === 0) return ordered;
  const cycle = cycleIn(unordered);
  const index = nodes.findIndex(({ name }) => name === cycle[0]);
  const message = `the nodes wait for each other: ${cycle.join(' -> ')}`;
  return rejectAll([{ field: `nodes[${index}].after`, message }]);
};

/** A branch chooses among the nodes that follow it directly. */
const branchFaults = ({ nodes }: WorkflowDocument): readonly Fault[] =>
  nodes.flatMap(({ name, kind, parameters }, index) => {
    if (kind !== 'branch') return [];
    const { cases, otherwise } = BranchParameters.parse(parameters);
    const followers = new Set(
      nodes.filter(({ after }) => after.includes(name)).map((one) => one.name),
    );
    const chosen = [...cases.flatMap(({ then }) => then), ...otherwise];
    return chosen
      .filter((one) => !followers.has(one))
      .map((one) => ({
        field: `nodes[${index}].parameters`,
        message: `${one} does not come directly after the branch ${name}`,
      }));
  });

const ROOTS = 'inputs, nodes, run, and in a map item and index';

const referenceFaults = (
  { inputs, nodes }: WorkflowDocument,
  ordered: readonly DocumentNode[],
): readonly Fault[] => {
  const ancestors = ancestorsOf(ordered);
  return nodes.flatMap(({ name, kind, parameters }, index): readonly Fault[] => {
    const at: readonly PathPart[] = ['nodes', index, 'parameters'];
    const before = ancestors.get(name) ?? new Set();
    try {
      return referencesIn(parameters).flatMap((reference) => {
        const message = faultIn(reference, { inputs, before, isMap: kind === 'map' });
        return message === null ? [] : { field: fieldOf([...at, ...reference.at]), message };
      });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return [{ field: fieldOf(at), message: error.message }];
    }
  });
};

interface Visible {
  readonly inputs: WorkflowDocument['inputs'];
  readonly before: ReadonlySet<string>;
  readonly isMap: boolean;
}

const faultIn = ({ text, path, at }: PlacedReference, visible: Visible): string | null => {
  const [root, second, third] = path;
  switch (root) {
    case 'inputs':
      if (typeof second === 'string' && Object.hasOwn(visible.inputs, second)) return null;
      return `{{ ${text} }}: the workflow declares no such input`;
    case 'nodes':
      if (!visible.before.has(String(second))) {
        return `{{ ${text} }}: ${String(second)} does not come before this node`;
      }
      return third === 'output' || third === 'status'
        ? null
        : `{{ ${text} }}: of a node there are output and status`;
    case 'run':
      return second === 'id' ? null : `{{ ${text} }}: of a run there is id`;
    case 'item':
    case 'index':
      return visible.isMap && at[0] === 'parameters'
        ? null
        : `{{ ${text} }}: only the parameters of a map's tool have it`;
    case undefined:
    default:
      return `{{ ${text} }}: references begin with ${ROOTS}`;
  }
};

const MS = 1_000;

const planOf = (
  { concurrency, timeout_seconds: seconds }: WorkflowDocument,
  ordered: readonly DocumentNode[],
): WorkflowPlan => ({
  nodes: ordered.map(nodeOf),
  concurrencyMax: concurrency,
  timeOutMs: seconds * MS,
});

const nodeOf = (node: DocumentNode): WorkflowNode => {
  const { name, kind, after, trigger_rule: triggerRule, retry, timeout_seconds: seconds } = node;
  return {
    name,
    kind,
    tool: toolOf(node),
    after: [...new Set(after)],
    triggerRule,
    attemptsMax: retry?.attempts_max ?? 1,
    backOffMs: retry?.first_pause_ms ?? 0,
    backOffMsMax: retry?.pause_ms_max ?? 0,
    timeOutMs: seconds === undefined ? null : Math.ceil(seconds * MS),
  };
};

const toolOf = ({ kind, parameters: { tool } }: DocumentNode): string | null => {
  if (kind === 'map') return typeof tool === 'string' ? tool : null;
  return isControlKind(kind) ? null : kind;
};
