/** A real server in a separate process, on loopback, with its own folder. */
export interface TestServer {
  /** The value of the matching setting. */
  readonly url: string;
  /** The host and port of the server, for a proxy. */
  readonly address: { readonly host: string; readonly port: number };
  /** Sends SIGKILL; resolves when the process has ended. Data stays. */
  kill(): Promise<void>;
  /** Starts on the same ports and data; resolves when the server answers. */
  restart(): Promise<void>;
  /** Stops the process and keeps its connections, as on a machine that hangs. */
  freeze(): void;
  thaw(): void;
  /** Ends the server and removes its data. Idempotent. */
  stop(): Promise<void>;
}
