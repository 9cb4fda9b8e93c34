/** Spikes of one layer over time, drawn as text. */
export class Raster {
  readonly #steps: Uint8Array[] = [];

  /** @param spikes the spikes of one step */
  add(spikes: Float32Array): void {
    this.#steps.push(Uint8Array.from(spikes));
  }

  /** A line for each neuron, a character for each step: `|` where it fires, `.` where not. */
  text(): string {
    const neurons = this.#steps[0]?.length ?? 0;
    const line = (neuron: number): string =>
      this.#steps.map((spikes) => (spikes[neuron] === 1 ? '|' : '.')).join('');
    return Array.from({ length: neurons }, (_, neuron) => line(neuron)).join('\n');
  }
}
