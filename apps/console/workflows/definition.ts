/** A stored definition. */
export interface Definition {
  readonly description?: string;
  readonly inputs?: Readonly<Record<string, object>>;
  readonly nodes: readonly {
    readonly name: string;
    readonly kind: string;
    readonly after?: readonly string[];
    readonly parameters?: object;
  }[];
}

export interface FoundWorkflow {
  readonly position?: null;
  readonly workflow_id: number;
  readonly name: string;
  readonly version: number;
  readonly definition: Definition;
}

export const graphOf = ({ nodes }: Definition) =>
  nodes.map(({ name, kind, after = [] }) => ({ name, kind, after }));
