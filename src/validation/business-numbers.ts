/** Numbers of the registers of businesses. A right check digit does not prove that the number exists. */
export type NumberKind = 'ABN' | 'ACN';

const ABN_WEIGHTS = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
const ABN_MODULUS = 89;
const ACN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 1];

/** The digits of a number as people write it; null when something else stands in it. */
export function digitsOf(text: string): string | null {
  const digits = text.replace(/[\s-]/g, '');
  return /^\d{9}(\d{2})?$/.test(digits) ? digits : null;
}

export function kindOfNumber(digits: string): NumberKind {
  return digits.length === 11 ? 'ABN' : 'ACN';
}

export function hasCheckDigits(kind: NumberKind, digits: string): boolean {
  return kind === 'ABN' ? isAbn(digits) : isAcn(digits);
}

/** 11 digits: one is taken from the first, and the weighted sum is a multiple of 89. */
export function isAbn(digits: string): boolean {
  if (!/^[1-9]\d{10}$/.test(digits)) return false;
  const sum = weighted(digits, ABN_WEIGHTS) - (ABN_WEIGHTS[0] ?? 0);
  return sum % ABN_MODULUS === 0;
}

/** ACN, ARBN or ARSN: nine digits, the last a check digit. */
export function isAcn(digits: string): boolean {
  if (!/^\d{9}$/.test(digits)) return false;
  return (10 - (weighted(digits, ACN_WEIGHTS) % 10)) % 10 === Number(digits[8]);
}

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, place) => sum + weight * Number(digits[place]), 0);
}
