import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type UPlot from 'uplot';
import { messageOf } from './answer.js';

const HEIGHT = 240;
const SERIES_MAX = 4;
const MS_PER_SECOND = 1_000;

export interface Series {
  readonly name: string;
  /** One for each place; null: not measured, which leaves a gap; undefined: on the line. */
  readonly values: readonly (number | null | undefined)[];
}

export interface TimeSeriesProps {
  /** For a reader of the screen. A table on the page has the same figures. */
  readonly label: string;
  /** Milliseconds since the Unix epoch, or steps of a work; ascending. */
  readonly at: readonly number[];
  readonly isBySteps?: boolean;
  /** At most four. */
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
}

/** The colours of a part of the page, which follow its theme. */
const colourOf = (element: Element | null, property: 'color' | 'borderTopColor'): string =>
  element ? getComputedStyle(element)[property] : 'currentColor';

const optionsOf = (
  { series, format, isBySteps = false }: TimeSeriesProps,
  place: HTMLElement,
  legend: HTMLElement,
): UPlot.Options => {
  const axis = {
    stroke: () => colourOf(place, 'color'),
    grid: { stroke: () => colourOf(place, 'borderTopColor'), width: 1 },
    ticks: { stroke: () => colourOf(place, 'borderTopColor'), width: 1 },
  };
  const values = format && {
    values: (_plot: UPlot, ticks: number[]) => ticks.map((tick) => format(tick)),
    size: 90,
  };
  return {
    width: place.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    scales: { x: { time: !isBySteps } },
    axes: [axis, { ...axis, ...values }],
    series: [
      {},
      ...series.slice(0, SERIES_MAX).map(({ name }, index) => ({
        label: name,
        stroke: () => colourOf(legend.children.item(index), 'color'),
        width: 2,
      })),
    ],
  };
};

const dataOf = ({ at, series, isBySteps = false }: TimeSeriesProps): UPlot.AlignedData => {
  const places = isBySteps ? at : at.map((ms) => ms / MS_PER_SECOND);
  return [places, ...series.map(({ values }) => values)] as UPlot.AlignedData;
};

/** Lines over time, drawn by uPlot, which is loaded when the first of them is shown. */
export const TimeSeries = (props: TimeSeriesProps) => {
  const place = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const failure = useSignal('');
  const drawn = useRef<UPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const { label, at, series } = props;
  const names = series.map(({ name }) => name).join('\n');
  useEffect(() => {
    const [div, list] = [place.current, legend.current];
    if (!div || !list) return undefined;
    let isLeft = false;
    const redraw = (): void => drawn.current?.redraw();
    const theme = window.matchMedia('(prefers-color-scheme: dark)');
    const sizes = new ResizeObserver(() =>
      drawn.current?.setSize({ width: div.clientWidth, height: HEIGHT }),
    );
    import('uplot').then(
      ({ default: Plot }) => {
        if (isLeft) return;
        const options = optionsOf(latest.current, div, list);
        drawn.current = new Plot(options, dataOf(latest.current), div);
        sizes.observe(div);
        theme.addEventListener('change', redraw);
      },
      (error: unknown) => {
        failure.value = `The chart cannot be drawn: ${messageOf(error)}`;
      },
    );
    return () => {
      isLeft = true;
      sizes.disconnect();
      theme.removeEventListener('change', redraw);
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [names]);
  useEffect(() => drawn.current?.setData(dataOf(latest.current)), [at, series]);
  return (
    <figure class="series">
      <div ref={place} role="img" aria-label={label} />
      <figcaption>
        <ul class="legend" ref={legend}>
          {series.slice(0, SERIES_MAX).map(({ name }, index) => (
            <li key={name} class={`series-${index + 1}`}>
              {name}
            </li>
          ))}
        </ul>
        <p class="failure" role="alert">
          {failure.value}
        </p>
      </figcaption>
    </figure>
  );
};
