/** Between the name of a registered MCP server, which has no underscore, and the name of a tool. */
const SEPARATOR = '__';

/** The name by which models and MCP clients call a tool of a registered MCP server. */
export const foreignToolName = (server: string, tool: string): string =>
  `${server}${SEPARATOR}${tool}`;

/** Whether a name may be the name of such a tool. */
export const isForeignToolName = (name: string): boolean => name.includes(SEPARATOR);

/** The names of the server and of its tool; none for the name of another tool. */
export const partsOfForeignTool = (name: string): readonly string[] => {
  const at = name.indexOf(SEPARATOR);
  return at < 0 ? [] : [name.slice(0, at), name.slice(at + SEPARATOR.length)];
};
