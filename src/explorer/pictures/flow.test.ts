import { expect, test } from 'bun:test';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Bundle, Strand } from '../load/flow-data.ts';
import { Flow, fittingScale } from './flow.tsx';

const strand = (title: string, amount: bigint, role: Strand['role'], look: Strand['look'] = 'plain'): Strand => ({
  title,
  note: '',
  mark: '',
  amount,
  href: undefined,
  look,
  role,
});
const bundleOf = (outputs: readonly Strand[]): Bundle => {
  const amount = outputs.reduce((sum, one) => sum + one.amount, 0n);
  return { symbol: 'AVAX', total: '', color: 1, inputs: [strand('sender', amount, undefined)], outputs };
};
const fee = strand('fee', 1_000_000n, 'fee', 'burned');

/** The heights of the ends of ribbons at the edge, and the classes of the ribbons, by title. */
const drawn = (bundles: readonly Bundle[], isLog: boolean): Map<string, { readonly size: number; readonly ribbon: string }> =>
  new Map(
    [
      ...renderToString(h(Flow, { bundles, width: 1152, isLog, label: '' })).matchAll(
        /<title>(\w+), <\/title><path d="[^"]*" class="([^"]*)".*?<rect [^>]*height="([\d.]+)"/g,
      ),
    ].map(([, title = '', ribbon = '', size]) => [title, { size: Number(size), ribbon }]),
  );

test('beside a change of 9,998 AVAX a payment of 1.5 AVAX can be seen, and stands out', () => {
  const bundles = [bundleOf([strand('payment', 1_500_000_000n, 'payment'), strand('change', 9_998_499_000_000n, 'change'), fee])];
  expect(fittingScale(bundles)).toBe('log');
  const { payment, change } = Object.fromEntries(drawn(bundles, true));
  expect(payment?.size).toBeGreaterThan(20);
  expect(payment?.ribbon).toBe('ribbon mark-fill-1');
  expect(change?.ribbon).toBe('ribbon');
  expect(drawn(bundles, true).get('fee')?.size).toBe(2);
  // A reader may choose the linear scale: there the payment has a least width.
  expect(drawn(bundles, false).get('payment')?.size).toBe(4);
  expect(drawn(bundles, false).get('sender')?.ribbon).toBe('ribbon fill-1');
});

test('the scale is linear if every payment can be seen so: fees, change and rights to mint do not count', () => {
  const paid = strand('payment', 1_000_000_000_000n, 'payment');
  expect(fittingScale([bundleOf([paid, strand('change', 1_000_000_000_000n, 'change'), fee])])).toBe('linear');
  expect(fittingScale([bundleOf([paid, strand('change', 1n, 'change'), strand('mint', 0n, 'payment')])])).toBe('linear');
  expect(fittingScale([bundleOf([paid, strand('small', 1_000_000n, 'payment')])])).toBe('log');
  expect(fittingScale([])).toBe('linear');
});
