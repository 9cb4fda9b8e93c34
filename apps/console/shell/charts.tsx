/** Charts of our own: they need no script from elsewhere, and take the colours of the text. */

const BAR_WIDTH = 160;
const BAR_HEIGHT = 12;

/** The part of a whole, beside the figure that it shows. */
export const Bar = ({ share }: { readonly share: number }) => (
  <svg width={BAR_WIDTH} height={BAR_HEIGHT} aria-hidden="true" focusable="false">
    <rect width={BAR_WIDTH} height={BAR_HEIGHT} fill="currentColor" fill-opacity="0.1" />
    <rect
      width={BAR_WIDTH * Math.min(1, Math.max(0, share))}
      height={BAR_HEIGHT}
      fill="currentColor"
    />
  </svg>
);
