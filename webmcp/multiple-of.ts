/** Exact for the decimals people write: 0.3 is a multiple of 0.1, which `%` denies. `divisor` is above 0. */
export const isMultipleOf = (value: number, divisor: number): boolean => {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = decimal(value);
  const [divisorDigits, divisorExponent] = decimal(divisor);
  const shift = Math.min(exponent, divisorExponent);
  const scaled = digits * 10n ** BigInt(exponent - shift);
  return scaled % (divisorDigits * 10n ** BigInt(divisorExponent - shift)) === 0n;
};

/** The number as digits times a power of ten, from its shortest decimal form. */
const decimal = (value: number): [digits: bigint, exponent: number] => {
  const [, whole = "0", fraction = "", exponent = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
};
