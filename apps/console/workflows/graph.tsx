import { type GraphNode, placed, type PlacedNode } from './graph-layout.js';

const WIDTH = 150;
const HEIGHT = 48;
const COLUMN = WIDTH + 50;
const ROW = HEIGHT + 24;
const NAME_LENGTH_MAX = 20;

interface GraphProps {
  readonly nodes: readonly GraphNode[];
  /** By the name of a node; absent where nothing runs. */
  readonly statusOf?: (name: string) => string;
}

const FAILED = new Set(['failed', 'upstream_failed', 'cancelled']);

const classOf = (status: string): string => {
  if (status === 'succeeded') return 'success';
  return FAILED.has(status) ? 'failure' : '';
};

const shortened = (name: string): string =>
  name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX - 1)}…` : name;

const edge = (from: PlacedNode, to: PlacedNode): string => {
  const [x, y] = [from.column * COLUMN + WIDTH, from.row * ROW + HEIGHT / 2];
  const [right, down] = [to.column * COLUMN, to.row * ROW + HEIGHT / 2];
  const middle = (x + right) / 2;
  return `M${x} ${y}C${middle} ${y} ${middle} ${down} ${right} ${down}`;
};

/** The nodes of a workflow from left to right. The page has a table with the same facts. */
export const Graph = ({ nodes, statusOf = () => '' }: GraphProps) => {
  const places = placed(nodes);
  const byName = new Map(places.map((node) => [node.name, node]));
  const width = Math.max(...places.map(({ column }) => column)) * COLUMN + WIDTH;
  const height = Math.max(...places.map(({ row }) => row)) * ROW + HEIGHT;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Graph">
      <svg
        width={width + 2}
        height={height + 2}
        viewBox={`-1 -1 ${width + 2} ${height + 2}`}
        role="img"
        aria-label={`${nodes.length} nodes: ${nodes.map(({ name }) => name).join(', ')}`}
      >
        <g fill="none" stroke="currentColor" stroke-opacity="0.5">
          {places.flatMap((node) =>
            node.after.map((name) => {
              const from = byName.get(name);
              return from && <path key={`${name} ${node.name}`} d={edge(from, node)} />;
            }),
          )}
        </g>
        {places.map((node) => {
          const status = statusOf(node.name);
          const [x, y] = [node.column * COLUMN, node.row * ROW];
          return (
            <g key={node.name} class={classOf(status)} fill="currentColor">
              <rect
                x={x}
                y={y}
                width={WIDTH}
                height={HEIGHT}
                rx="4"
                fill="none"
                stroke="currentColor"
              />
              <text x={x + 8} y={y + 20} font-size="13">
                {shortened(node.name)}
              </text>
              <text x={x + 8} y={y + 38} font-size="11">
                {status === '' ? node.kind : `${node.kind}: ${status}`}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
};
