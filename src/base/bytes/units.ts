/** Formats an amount in its smallest unit with a number of decimal places, exact and with thousands separators: 300,000,000 or 0.001. */
export function formatUnits(amount: bigint, denomination: number): string {
  const unit = 10n ** BigInt(denomination);
  const whole = (amount / unit).toString().replace(/\B(?=(\d{3})+$)/g, ',');
  const rest = denomination === 0 ? '' : (amount % unit).toString().padStart(denomination, '0').replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}
