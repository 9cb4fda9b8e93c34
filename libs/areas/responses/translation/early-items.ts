import { type FileSearchItem } from './file-search.js';
import { type McpCallItem, type McpListItem } from './mcp-items.js';

/** An event of a stream, without its number. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Items that are made before the first chat. */
export type EarlyItem = FileSearchItem | McpListItem | McpCallItem;

/** The events of an item that is made before the first chat. */
export const earlyEvents = (item: EarlyItem, output_index: number): StreamEvent[] => {
  const at = { output_index, item_id: item.id };
  const events = EARLY_EVENTS[item.type].map((type) => ({ type: `response.${type}`, ...at }));
  return [
    { type: 'response.output_item.added', output_index, item: begun(item) },
    ...events,
    ...(item.type === 'mcp_call' ? ended(item, at) : []),
    { type: 'response.output_item.done', output_index, item },
  ];
};

const EARLY_EVENTS = {
  file_search_call: [
    'file_search_call.in_progress',
    'file_search_call.searching',
    'file_search_call.completed',
  ],
  mcp_list_tools: ['mcp_list_tools.in_progress', 'mcp_list_tools.completed'],
  mcp_call: ['mcp_call.in_progress'],
} as const;

const begun = (item: EarlyItem): object => {
  switch (item.type) {
    case 'file_search_call':
      return { ...item, status: 'in_progress', results: null };
    case 'mcp_list_tools':
      return { ...item, tools: [] };
    case 'mcp_call':
      return { ...item, status: 'in_progress', arguments: '', output: null, error: null };
  }
};

const ended = ({ arguments: json, error }: McpCallItem, at: object): StreamEvent[] => [
  { type: 'response.mcp_call_arguments.done', ...at, arguments: json },
  { type: `response.mcp_call.${error === null ? 'completed' : 'failed'}`, ...at },
];
