import { withoutTrailing } from './trailing.js';

/** A number that exact arithmetic cannot give. */
export class ArithmeticError extends Error {
  override readonly name = 'ArithmeticError';
}

/** Numerator and denominator stay below this many bits, so that every operation is quick. */
export const BITS_MAX = 8_192;
/** Digits of a result that has no end. */
export const DIGITS_MAX = 20;

const gcd = (one: bigint, other: bigint): bigint => {
  let [a, b] = [one < 0n ? -one : one, other];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
};

const bitsOf = (value: bigint): number => value.toString(16).length * 4;

/** Rounds half away from zero; the divisor is positive. */
const dividedRounded = (dividend: bigint, divisor: bigint): bigint => {
  const half = (dividend < 0n ? -dividend : dividend) * 2n + divisor;
  const magnitude = half / (divisor * 2n);
  return dividend < 0n ? -magnitude : magnitude;
};

/** An exact fraction, or the fraction of a double that a function gave. Immutable. */
export class Rational {
  private constructor(
    readonly numerator: bigint,
    /** Positive. */
    readonly denominator: bigint,
    /** False once a rounded function is part of it. */
    readonly isExact: boolean,
  ) {}

  /** @throws ArithmeticError */
  static of(numerator: bigint, denominator: bigint, isExact: boolean): Rational {
    if (denominator === 0n) throw new ArithmeticError('division by zero');
    const sign = denominator < 0n ? -1n : 1n;
    const common = gcd(numerator, denominator * sign) * sign;
    const [top, bottom] = [numerator / common, denominator / common];
    if (bitsOf(top) > BITS_MAX || bitsOf(bottom) > BITS_MAX) {
      throw new ArithmeticError(`a number of more than ${BITS_MAX} bits`);
    }
    return new Rational(top, bottom, isExact);
  }

  plus(other: Rational): Rational {
    const top = this.numerator * other.denominator + other.numerator * this.denominator;
    return Rational.of(top, this.denominator * other.denominator, this.#exactWith(other));
  }

  times(other: Rational): Rational {
    const top = this.numerator * other.numerator;
    return Rational.of(top, this.denominator * other.denominator, this.#exactWith(other));
  }

  over(other: Rational): Rational {
    const top = this.numerator * other.denominator;
    return Rational.of(top, this.denominator * other.numerator, this.#exactWith(other));
  }

  /** Of the sign of the divisor, as in Python. */
  modulo(other: Rational): Rational {
    return this.plus(this.over(other).floor().times(other).negated());
  }

  /** Exact for a whole exponent; otherwise in double precision. */
  toThe(exponent: Rational): Rational {
    if (exponent.denominator !== 1n) {
      return approximately(this.toNumber() ** exponent.toNumber());
    }
    const isExact = this.#exactWith(exponent);
    const times = exponent.abs().numerator;
    const power = this.#isUnit() ? 2n + (times % 2n) : times;
    if (!this.#isUnit() && times * BigInt(this.#bits() - 4) > BigInt(BITS_MAX)) {
      throw new ArithmeticError(`a number of more than ${BITS_MAX} bits`);
    }
    const [top, bottom] =
      times === 0n ? [1n, 1n] : [this.numerator ** power, this.denominator ** power];
    return exponent.numerator < 0n
      ? Rational.of(bottom, top, isExact)
      : Rational.of(top, bottom, isExact);
  }

  negated(): Rational {
    return new Rational(-this.numerator, this.denominator, this.isExact);
  }

  abs(): Rational {
    return this.numerator < 0n ? this.negated() : this;
  }

  floor(): Rational {
    const { numerator, denominator } = this;
    const down = numerator % denominator < 0n ? 1n : 0n;
    return new Rational(numerator / denominator - down, 1n, this.isExact);
  }

  /** To the nearest whole number, halves away from zero. */
  rounded(): Rational {
    return new Rational(dividedRounded(this.numerator, this.denominator), 1n, this.isExact);
  }

  compare(other: Rational): number {
    const difference = this.numerator * other.denominator - other.numerator * this.denominator;
    if (difference === 0n) return 0;
    return difference < 0n ? -1 : 1;
  }

  /** The nearest double, to within its last digit. */
  toNumber(): number {
    return Number(this.toDecimal().text);
  }

  /** Plain digits, at most `DIGITS_MAX` after the first significant one where there is no end. */
  toDecimal(): { readonly text: string; readonly isExact: boolean } {
    const { numerator, denominator } = this;
    if (denominator === 1n) return { text: String(numerator), isExact: this.isExact };
    const leading = Math.max(0, String(denominator).length - String(this.abs().numerator).length);
    const scale = Math.max(DIGITS_MAX, leading + DIGITS_MAX);
    const scaled = dividedRounded(numerator * 10n ** BigInt(scale), denominator);
    const isWhole = scaled * denominator === numerator * 10n ** BigInt(scale);
    const digits = String(scaled < 0n ? -scaled : scaled).padStart(scale + 1, '0');
    const fraction = withoutTrailing(digits.slice(-scale), '0');
    const sign = scaled < 0n ? '-' : '';
    const text = `${sign}${digits.slice(0, -scale)}${fraction === '' ? '' : `.${fraction}`}`;
    return { text, isExact: this.isExact && isWhole };
  }

  /** 0, 1 or -1: its powers stay as small. */
  #isUnit(): boolean {
    return this.denominator === 1n && this.numerator ** 2n <= 1n;
  }

  #bits(): number {
    return Math.max(bitsOf(this.numerator), bitsOf(this.denominator), 5);
  }

  #exactWith(other: Rational): boolean {
    return this.isExact && other.isExact;
  }
}

/** A whole number, or a fraction of two. */
export const rational = (numerator: bigint, denominator = 1n): Rational =>
  Rational.of(numerator, denominator, true);

/** Digits with an optional point, times a power of ten. */
rational.parse = (digits: string, exponent: number): Rational => {
  const [whole = '', fraction = ''] = digits.split('.');
  const places = exponent - fraction.length;
  const value = BigInt(`${whole}${fraction}` || '0');
  return places >= 0
    ? rational(value * 10n ** BigInt(places))
    : rational(value, 10n ** BigInt(-places));
};

/** @throws ArithmeticError for NaN and for an infinite number */
export const approximately = (value: number): Rational => {
  if (!Number.isFinite(value)) throw new ArithmeticError('the result is not a number');
  let [top, bottom] = [value, 1n];
  // A double is a fraction of a power of two, so this ends.
  while (!Number.isInteger(top)) [top, bottom] = [top * 2, bottom * 2n];
  return Rational.of(BigInt(top), bottom, false);
};

/** `p`, or `p/q` in lowest terms. */
export const fractionText = ({ numerator, denominator }: Rational): string =>
  denominator === 1n ? String(numerator) : `${numerator}/${denominator}`;

/** Reads `fractionText`. */
export const fractionOf = (text: string): Rational => {
  const [top = '0', bottom = '1'] = text.split('/');
  return rational(BigInt(top), BigInt(bottom));
};
