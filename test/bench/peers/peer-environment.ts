/** A peer learns its ports from the environment, as Quipu does. */
export const requiredPort = (name: string): number => {
  const port = Number(process.env[name]);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${name} must be a port number, got ${process.env[name] ?? 'nothing'}`);
};

export const requiredPath = (name: string): string => {
  const path = process.env[name];
  if (path !== undefined && path !== '') return path;
  throw new Error(`${name} must be a path, got nothing`);
};
