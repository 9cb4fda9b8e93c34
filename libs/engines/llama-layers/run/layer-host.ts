/** The models and pipelines of one thread. */
import { type Division, type LayersTask, type ThreadSettings } from '../llama-layers.protocol.js';
import { LayerStack } from '../model/layer-stack.js';
import { Pipeline } from '../pipeline/pipeline.js';
import { type LayeredModel, readLayeredModel } from './layered-model.js';
import { type LayerRun } from './layer-run.js';
import { LocalRun } from './local-run.js';
import { Residents } from './residents.js';

/** A model whose layers are loaded, here or in stages. */
interface OpenModel {
  readonly model: LayeredModel;
  readonly hasEnded: boolean;
  run(): LayerRun;
  close(): void;
}

export class LayerHost {
  readonly #whole: Residents<OpenModel>;
  readonly #divided: Residents<OpenModel>;

  constructor({ residentsMax, idleMsMax }: ThreadSettings) {
    this.#whole = new Residents(residentsMax, null);
    this.#divided = new Residents(residentsMax, idleMsMax);
  }

  use<Result>(
    { modelFile, fileVersion, division }: LayersTask,
    act: (model: LayeredModel, run: LayerRun) => Promise<Result>,
  ): Promise<Result> {
    const begin = (open: OpenModel): Promise<Result> => act(open.model, open.run());
    if (division === null) {
      return this.#whole.use(`${modelFile}\n${fileVersion}`, () => openWhole(modelFile), begin);
    }
    const { stages, standbys, host } = division;
    const key = [modelFile, fileVersion, stages, standbys, host].join('\n');
    return this.#divided.use(key, () => openDivided(modelFile, division), begin);
  }

  async close(): Promise<void> {
    await Promise.all([this.#whole.close(), this.#divided.close()]);
  }
}

const openWhole = async (modelFile: string): Promise<OpenModel> => {
  const model = await readLayeredModel(modelFile);
  const stack = await LayerStack.load(modelFile, model.header);
  return {
    model,
    hasEnded: false,
    run: () => new LocalRun(stack),
    close: () => stack.dispose(),
  };
};

const openDivided = async (modelFile: string, division: Division): Promise<OpenModel> => {
  const model = await readLayeredModel(modelFile);
  const { layers } = model.header.shape;
  const pipeline = await Pipeline.open({ modelFile, layers, ...division });
  return {
    model,
    get hasEnded() {
      return pipeline.failure !== null;
    },
    run: () => pipeline.run(),
    close: () => pipeline.close(),
  };
};
