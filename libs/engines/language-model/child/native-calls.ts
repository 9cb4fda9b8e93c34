/**
 * The few calls of node-llama-cpp that work and that its types do not show: its version is pinned,
 * and `native-calls.spec.ts` fails for one that has lost them.
 */
import type { LlamaContext, LlamaModel } from 'node-llama-cpp';

/** An adapter in memory, made for one model. */
export interface NativeAdapter {
  /** Frees it. It must be on no context. */
  dispose(): Promise<void>;
}

interface ModelInternals {
  readonly _llama: {
    readonly _bindings: {
      readonly AddonModelLora: new (model: unknown, file: string) => NativeAdapter;
    };
  };
  readonly _model: { loadLora(adapter: NativeAdapter): Promise<void> };
}

interface ContextInternals {
  readonly _ctx: {
    setLoras(adapters: readonly NativeAdapter[], scales: readonly number[]): void;
  };
}

/** Rejects for a file that is no adapter of this model; the log has the reason. */
export const loadAdapter = async (model: LlamaModel, file: string): Promise<NativeAdapter> => {
  const { _llama, _model } = model as unknown as ModelInternals;
  const adapter = new _llama._bindings.AddonModelLora(_model, file);
  await _model.loadLora(adapter);
  return adapter;
};

/** For all sequences of the context, from the next token on. Nothing may be in evaluation. */
export const setAdapters = (
  context: LlamaContext,
  adapters: readonly NativeAdapter[],
  scales: readonly number[],
): void => {
  (context as unknown as ContextInternals)._ctx.setLoras(adapters, scales);
};
