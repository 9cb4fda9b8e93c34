/** The part of V8's WebAssembly that the engine uses; TypeScript declares it for browsers only. */
declare namespace WebAssembly {
  // eslint-disable-next-line @typescript-eslint/no-extraneous-class -- it has no other member here
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Global {
    private constructor();
    value: unknown;
  }
  /** A trap. */
  class RuntimeError extends Error {}
  type ModuleImports = Readonly<Record<string, (...args: never[]) => unknown>>;
  type Imports = Readonly<Record<string, ModuleImports>>;
  function validate(bytes: Uint8Array): boolean;
}
