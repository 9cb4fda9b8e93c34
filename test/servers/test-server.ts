/** A real server in a process of its own, on loopback, with a folder of its own. */
export interface TestServer {
  /** As the matching variable of the settings takes it. */
  readonly url: string;
  /** Host and port of what clients connect to, for a proxy in front of it. */
  readonly address: { readonly host: string; readonly port: number };
  /** SIGKILL; resolves when the process is gone. Data stays. */
  kill(): Promise<void>;
  /** On the same ports and data; resolves when it answers. */
  restart(): Promise<void>;
  /** Stops it from running without closing a connection, as a machine that hangs would. */
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data; twice is allowed. */
  stop(): Promise<void>;
}
